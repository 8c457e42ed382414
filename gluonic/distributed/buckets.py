"""Many small arrays in few large ones, which are sent while the next ones are filled."""

from collections.abc import Callable, Sequence

import numpy as np

from gluonic.distributed.codecs import Codec
from gluonic.distributed.group import RankGroup
from gluonic.distributed.reduction import AllReduce, reduce_encoded
from gluonic.graph import Array
from gluonic.support.record import record

BUCKET_BYTES = 4 * 1024 * 1024
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

    Attributes
    ----------
    views : for each array the place in a bucket where it is brought, and where the sum is found
    """

    def __init__(
        self,
        names: Sequence[str],
        kinds: Sequence[tuple[tuple[int, ...], np.dtype]],
        limit: int = BUCKET_BYTES,
    ) -> None:
        self._names = list(names)
        self._buckets: list[Bucket] = []
        for dtype in dict.fromkeys(dtype for _, dtype in kinds):
            members = [i for i, (_, other) in enumerate(kinds) if other == dtype]
            self._divide(members, [kinds[i][0] for i in members], dtype, limit)
        self.views: list[Array] = [np.empty(0)] * len(kinds)
        for bucket in self._buckets:
            for member, view in zip(bucket.members, bucket.views, strict=True):
                self.views[member] = view

    def _divide(
        self, members: Sequence[int], shapes: Sequence[tuple[int, ...]], dtype: np.dtype, limit: int
    ) -> None:
        unit = max(1, _ALIGNMENT // dtype.itemsize)
        sizes = [-(-int(np.prod(shape, dtype=np.int64)) // unit) * unit for shape in shapes]
        start = 0
        while start < len(members):
            end, total = start + 1, sizes[start]
            while end < len(members) and (total + sizes[end]) * dtype.itemsize <= limit:
                total += sizes[end]
                end += 1
            self._buckets.append(
                _bucket(members[start:end], shapes[start:end], sizes[start:end], dtype)
            )
            start = end

    def reduce(self, group: RankGroup, fill: Callable[[int, Array], None]) -> None:
        """Sum up all arrays over the ranks.

        Parameters
        ----------
        group : the ranks
        fill : called with each array's place and its view, writes it there
        """
        started = []
        for bucket in self._buckets:
            for member, view in zip(bucket.members, bucket.views, strict=True):
                fill(member, view)
            if group.size > 1:
                started.append(AllReduce(group, bucket.memory, self._what(bucket)))
        for reduction in started:
            reduction.share()
        for reduction in started:
            reduction.finish()

    def reduce_encoded(
        self, group: RankGroup, codec: Codec, fill: Callable[[int, Array], None]
    ) -> None:
        """Sum up what a codec makes of the arrays; one rank's own are encoded, too."""
        for bucket in self._buckets:
            for member, view in zip(bucket.members, bucket.views, strict=True):
                fill(member, view)
            for member, view in zip(bucket.members, bucket.views, strict=True):
                flat, name = view.reshape(-1), self._names[member]
                flat[...] = reduce_encoded(group, codec, name, flat, self._what(bucket))

    def _what(self, bucket: Bucket) -> Callable[[], str]:
        first, last = self._names[bucket.members[0]], self._names[bucket.members[-1]]
        return lambda: (
            f"the gradient of {first}" if first == last else f"the gradients of {first} to {last}"
        )


def _bucket(
    members: Sequence[int], shapes: Sequence[tuple[int, ...]], sizes: Sequence[int], dtype: np.dtype
) -> Bucket:
    """Memory for some arrays, each at the beginning of a line; between them are zeros."""
    memory = np.zeros(sum(sizes), dtype)
    views, start = [], 0
    for shape, size in zip(shapes, sizes, strict=True):
        length = int(np.prod(shape, dtype=np.int64))
        views.append(memory[start : start + length].reshape(shape))
        start += size
    return Bucket(list(members), memory, views)
