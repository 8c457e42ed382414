"""Buckets: many small arrays are sent as a few large ones, and large arrays separately."""

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from gluonic.distributed.codecs import Codec
from gluonic.distributed.group import RankGroup
from gluonic.distributed.reduction import PIECE_BYTES, Pipeline, reduce_encoded
from gluonic.graph import Array
from gluonic.graph.versions import add, write
from gluonic.support.record import record

LARGE = 64 * 1024  # bytes: larger arrays are sent in place
_ALIGNMENT = 64  # bytes: a cache line, and the widest registers


@record
class Bucket:
    """The unit of summation: small arrays in the bucket's own memory, or one large array.

    Attributes
    ----------
    members : the indices of its arrays among all
    memory : for small arrays, its memory, with one axis; None for a large one
    views : each array's part, in its shape
    """

    members: list[int]
    memory: Array | None
    views: list[Array]


class ReadyBucket(NamedTuple):
    """A bucket that is ready to be sent.

    Attributes
    ----------
    own, into : this rank's values, and the target of the sum, each with one axis
    what : returns a description
    """

    own: Array
    into: Array
    what: Callable[[], str]


class Buckets:
    """The memory for sums of arrays over ranks; created once, used in every step.

    Parameters
    ----------
    names : the arrays' names, for messages
    kinds : the arrays' shapes and dtypes
    limit : the most bytes in a bucket of small arrays
    order : the indices of the arrays in the order in which they become ready; by default the given order

    Attributes
    ----------
    all : the buckets, in the order in which they become ready
    """

    def __init__(
        self,
        names: Sequence[str],
        kinds: Sequence[tuple[tuple[int, ...], np.dtype]],
        limit: int = PIECE_BYTES,
        order: Sequence[int] | None = None,
    ) -> None:
        self._names, self._kinds = list(names), list(kinds)
        self._sums: dict[int, Array] = {}
        coming = list(range(len(kinds))) if order is None else list(order)
        small = [i for i in coming if _bytes_of(*kinds[i]) < LARGE]
        found = [Bucket([i], None, []) for i in coming if _bytes_of(*kinds[i]) >= LARGE]
        for dtype in dict.fromkeys(kinds[i][1] for i in small):
            found += self._divided([i for i in small if kinds[i][1] == dtype], dtype, limit)
        self.all = sorted(found, key=lambda bucket: coming.index(bucket.members[-1]))

    def _divided(self, members: Sequence[int], dtype: np.dtype, limit: int) -> Iterable[Bucket]:
        unit = max(1, _ALIGNMENT // dtype.itemsize)
        shapes = [self._kinds[i][0] for i in members]
        sizes = [-(-prod(shape) // unit) * unit for shape in shapes]
        start = 0
        while start < len(members):
            end, total = start + 1, sizes[start]
            while end < len(members) and (total + sizes[end]) * dtype.itemsize <= limit:
                total += sizes[end]
                end += 1
            chosen = slice(start, end)
            yield _bucket(members[chosen], shapes[chosen], sizes[chosen], dtype)
            start = end

    def prepared(
        self, bucket: Bucket, sources: Sequence[Sequence[Array]], in_place: bool = False
    ) -> ReadyBucket:
        """Prepare a bucket for sending; see `reduce`."""
        what = self._what(bucket.members)
        if bucket.memory is not None:
            _fill(bucket, sources)
            return ReadyBucket(bucket.memory, bucket.memory, what)
        index = bucket.members[0]
        into = sources[index][0] if in_place else self._memory_for(index)
        return ReadyBucket(_summed(sources[index], into).reshape(-1), into.reshape(-1), what)

    def reduce(
        self,
        group: RankGroup,
        sources: Sequence[Sequence[Array]],
        in_place: bool = False,
        chosen: Iterable[Bucket] | None = None,
    ) -> list[Array]:
        """Sum all arrays over the ranks.

        Parameters
        ----------
        group : the ranks
        sources : for each array, those of all contexts, which are summed as well
        in_place : whether the sums replace the first sources
        chosen : the buckets to sum, if the others already have been

        Returns
        -------
        list
            the sums: in memory that the next call reuses, or the first sources
        """
        pipeline = Pipeline(group)
        buckets = self.all if chosen is None else list(chosen)
        for bucket in buckets:
            pipeline.add(*self.prepared(bucket, sources, in_place))
        pipeline.finish()
        if not in_place:
            return self.sums()
        for bucket in buckets:
            self.empty(bucket, sources)
        return [arrays[0] for arrays in sources]

    @staticmethod
    def empty(bucket: Bucket, sources: Sequence[Sequence[Array]]) -> None:
        """Copy the sums of small arrays to the first sources."""
        for member, view in zip(bucket.members, bucket.views, strict=False):
            write(sources[member][0], view)

    def target(self, bucket: Bucket) -> Array:
        """The target of a bucket's sum if it replaces no source."""
        index = bucket.members[0]
        return self._memory_for(index).reshape(-1) if bucket.memory is None else bucket.memory

    def sums(self) -> list[Array]:
        """The sums that replace no sources."""
        found: dict[int, Array] = {}
        for bucket in self.all:
            known = bucket.views or [self._memory_for(bucket.members[0])]
            found.update(zip(bucket.members, known, strict=True))
        return [found[index] for index in range(len(self._kinds))]

    def exchange(self, index: int, memory: Array) -> Array:
        """Use other memory for the sums of a large array; returns the current sum, with its memory."""
        found, self._sums[index] = self._memory_for(index), memory
        return found

    def _memory_for(self, index: int) -> Array:
        """The target of a large array's sum."""
        known = self._sums.get(index)
        if known is None:
            known = self._sums[index] = np.empty(*self._kinds[index])
        return known

    def reduce_encoded(
        self, group: RankGroup, codec: Codec, sources: Sequence[Sequence[Array]]
    ) -> list[Array]:
        """Sum the encoded arrays; those of this rank are encoded, too."""
        found = []
        for index, arrays in enumerate(sources):
            flat = sum(arrays[1:], arrays[0]).reshape(-1)
            total = reduce_encoded(group, codec, self._names[index], flat, self._what([index]))
            found.append(total.reshape(arrays[0].shape))
        return found

    def _what(self, members: Sequence[int]) -> Callable[[], str]:
        first, last = self._names[members[0]], self._names[members[-1]]
        return lambda: (
            f"the gradient of {first}" if first == last else f"the gradients of {first} to {last}"
        )


def _bytes_of(shape: tuple[int, ...], dtype: np.dtype) -> int:
    return prod(shape) * dtype.itemsize


def _fill(bucket: Bucket, sources: Sequence[Sequence[Array]]) -> None:
    """Sum the arrays of all contexts into a bucket."""
    for member, view in zip(bucket.members, bucket.views, strict=True):
        first, *rest = sources[member]
        write(view, first)
        for other in rest:
            add(view, other)


def _summed(arrays: Sequence[Array], into: Array) -> Array:
    """The sum over contexts: the only array, or otherwise `into`."""
    if len(arrays) == 1:
        return arrays[0]
    if into is not arrays[0]:
        write(into, arrays[0])
    for other in arrays[1:]:
        add(into, other)
    return into


def _bucket(
    members: Sequence[int], shapes: Sequence[tuple[int, ...]], sizes: Sequence[int], dtype: np.dtype
) -> Bucket:
    """Memory for some arrays, each aligned to cache lines, with zeros between them."""
    memory = np.zeros(sum(sizes), dtype)
    views, start = [], 0
    for shape, size in zip(shapes, sizes, strict=True):
        length = prod(shape)
        views.append(memory[start : start + length].reshape(shape))
        start += size
    return Bucket(list(members), memory, views)
