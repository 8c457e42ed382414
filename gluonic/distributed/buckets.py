"""Many small arrays in few large ones, and large ones by themselves; all are sent at once."""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from gluonic.distributed.codecs import Codec
from gluonic.distributed.group import RankGroup
from gluonic.distributed.reduction import PIECE_BYTES, Pipeline, reduce_encoded
from gluonic.graph import Array
from gluonic.graph.versions import add, write
from gluonic.support.record import record

LARGE = 64 * 1024  # bytes: larger arrays are sent from where they lie
_ALIGNMENT = 64  # bytes: a line of the cache, and the widest registers


@record
class Bucket:
    """A stretch of memory for some arrays.

    Attributes
    ----------
    members : the places of the arrays among all
    memory : all of it, one axis
    views : each array's part, in its shape
    """

    members: list[int]
    memory: Array
    views: list[Array]


class Buckets:
    """The memory through which arrays are summed up over ranks; made once, used in every step.

    Parameters
    ----------
    names : the arrays' names, for messages
    kinds : the arrays' shapes and dtypes
    limit : how many bytes a bucket holds at most, unless one array needs more
    """

    def __init__(
        self,
        names: Sequence[str],
        kinds: Sequence[tuple[tuple[int, ...], np.dtype]],
        limit: int = PIECE_BYTES,
    ) -> None:
        self._names, self._kinds = list(names), list(kinds)
        self._buckets: list[Bucket] = []
        large = [i for i, kind in enumerate(kinds) if _bytes_of(*kind) >= LARGE]
        small = [i for i in range(len(kinds)) if i not in set(large)]
        for dtype in dict.fromkeys(kinds[i][1] for i in small):
            members = [i for i in small if kinds[i][1] == dtype]
            self._divide(members, [kinds[i][0] for i in members], dtype, limit)
        self._large: dict[int, Array | None] = dict.fromkeys(large)

    def _divide(
        self, members: Sequence[int], shapes: Sequence[tuple[int, ...]], dtype: np.dtype, limit: int
    ) -> None:
        unit = max(1, _ALIGNMENT // dtype.itemsize)
        sizes = [-(-prod(shape) // unit) * unit for shape in shapes]
        start = 0
        while start < len(members):
            end, total = start + 1, sizes[start]
            while end < len(members) and (total + sizes[end]) * dtype.itemsize <= limit:
                total += sizes[end]
                end += 1
            chosen = slice(start, end)
            self._buckets.append(_bucket(members[chosen], shapes[chosen], sizes[chosen], dtype))
            start = end

    def reduce(
        self, group: RankGroup, sources: Sequence[Sequence[Array]], in_place: bool = False
    ) -> list[Array]:
        """Sum up all arrays over the ranks.

        Parameters
        ----------
        group : the ranks
        sources : for each array those of all contexts, which are summed up as well
        in_place : whether the sums replace the first sources

        Returns
        -------
        list
            the sums: in memory that is used again by the next call, or the first sources
        """
        found: dict[int, Array] = {}
        pipeline = Pipeline(group)
        for bucket in self._buckets:
            _fill(bucket, sources)
            pipeline.add(bucket.memory, bucket.memory, self._what(bucket.members))
            found.update(zip(bucket.members, bucket.views, strict=True))
        for place in self._large:
            into = found[place] = sources[place][0] if in_place else self._memory_for(place)
            own = _summed(sources[place], into).reshape(-1)
            pipeline.add(own, into.reshape(-1), self._what([place]))
        pipeline.finish()
        if in_place:
            for bucket in self._buckets:
                _empty(bucket, sources)
            return [arrays[0] for arrays in sources]
        return [found[place] for place in range(len(self._kinds))]

    def _memory_for(self, place: int) -> Array:
        """Where the sum of a large array goes."""
        known = self._large[place]
        if known is None:
            known = self._large[place] = np.empty(*self._kinds[place])
        return known

    def reduce_encoded(
        self, group: RankGroup, codec: Codec, sources: Sequence[Sequence[Array]]
    ) -> list[Array]:
        """Sum up what a codec makes of the arrays; one rank's own are encoded, too."""
        found = []
        for place, arrays in enumerate(sources):
            flat = sum(arrays[1:], arrays[0]).reshape(-1)
            total = reduce_encoded(group, codec, self._names[place], flat, self._what([place]))
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
    """Bring the arrays of all contexts into a bucket."""
    for member, view in zip(bucket.members, bucket.views, strict=True):
        first, *rest = sources[member]
        write(view, first)
        for other in rest:
            add(view, other)


def _empty(bucket: Bucket, sources: Sequence[Sequence[Array]]) -> None:
    """Bring the sums back to where the first arrays are."""
    for member, view in zip(bucket.members, bucket.views, strict=True):
        write(sources[member][0], view)


def _summed(arrays: Sequence[Array], into: Array) -> Array:
    """The sum over contexts: the only array there is, or else `into`."""
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
    """Memory for some arrays, each at the beginning of a line; between them are zeros."""
    memory = np.zeros(sum(sizes), dtype)
    views, start = [], 0
    for shape, size in zip(shapes, sizes, strict=True):
        length = prod(shape)
        views.append(memory[start : start + length].reshape(shape))
        start += size
    return Bucket(list(members), memory, views)
