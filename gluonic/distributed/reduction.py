"""Sums over the ranks of a group, always in the order of the ranks.

Each rank is sent its share of all, adds it up, and sends the sum to the others: two messages between any two
ranks, and each element travels twice. Short arrays are sent whole and added up by everyone. Either way an
element is ((x₀ + x₁) + x₂) + …, so its bits depend on nothing but the values.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gluonic.distributed.codecs import Codec
from gluonic.distributed.group import RankGroup
from gluonic.graph import Array

_SHORT = 4096  # bytes

COMBINE: dict[str, Any] = {
    "sum": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "product": np.multiply,
}


class AllReduce:
    """One array, being reduced in its place while the caller does something else.

    Parameters
    ----------
    group : the ranks
    values : one axis, contiguous; all ranks have as many, of one dtype
    what : says what it is, for errors
    operation : a name of `COMBINE`
    """

    def __init__(
        self, group: RankGroup, values: Array, what: Callable[[], str], operation: str = "sum"
    ) -> None:
        self._group, self._values, self._what = group, values, what
        self._combine = COMBINE[operation]
        size, rank = group.size, group.rank
        self._is_short = values.nbytes <= _SHORT
        bounds = [len(values) * r // size for r in range(size + 1)]
        self._shares = [values[a:b] for a, b in pairwise(bounds)]
        outgoing = [values] * size if self._is_short else self._shares
        self._parts = np.empty((size, len(outgoing[rank])), values.dtype)
        self._tag = group.next_tag()
        self._requests, self._ranks = group.swap(outgoing, list(self._parts), self._tag)
        self._is_shared = False

    def share(self) -> None:
        """Wait for the parts, add them up, and begin to send the sum."""
        if self._is_shared:
            return
        self._wait()
        own = self._values if self._is_short else self._shares[self._group.rank]
        parts = list(self._parts)
        parts[self._group.rank] = own
        own[...] = self._total(parts)
        if not self._is_short:
            self._requests, self._ranks = self._group.swap(
                [own] * self._group.size, self._shares, self._tag
            )
        self._is_shared = True

    def finish(self) -> None:
        """Wait until the values are the reduced ones."""
        self.share()
        self._wait()

    def _wait(self) -> None:
        self._group.finish(self._requests, self._ranks, self._what, (self._values, self._parts))

    def _total(self, parts: Sequence[Array]) -> Array:
        first = parts[0]
        if first.dtype.itemsize == 2 and first.dtype.kind not in "iu":  # float16, bfloat16
            first = first.astype(np.float32)
        total: Array = self._combine(first, parts[1])
        for part in parts[2:]:
            self._combine(total, part, out=total)
        return total


def reduce(
    group: RankGroup, values: Array, what: Callable[[], str], operation: str = "sum"
) -> None:
    """Reduce an array over the ranks, in its place; see `AllReduce`."""
    if group.size > 1:
        AllReduce(group, values, what, operation).finish()


def reduce_encoded(
    group: RankGroup, codec: Codec, name: Any, values: Array, what: Callable[[], str]
) -> Array:
    """Sum up what a codec makes of values; the sum, of float32 and one axis.

    Each rank sends all that is encoded to all others.
    """
    sent = codec.encoded(name, values).view(np.uint8)
    parts = [sent if r == group.rank else np.empty_like(sent) for r in range(group.size)]
    requests, ranks = group.swap([sent] * group.size, parts, group.next_tag())
    group.finish(requests, ranks, what, parts)
    return codec.total(parts, values.size)
