"""Sums over the ranks of a group, always in the order of the ranks.

Each rank receives its share of all arrays, sums it, and sends the sum to the others: two messages between any
two ranks, and each element is sent twice. Short arrays are sent whole and summed by every rank. In both cases
an element is ((x₀ + x₁) + x₂) + …, so its bits depend only on the values.
"""

from collections import deque
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gluonic.distributed.codecs import Codec
from gluonic.distributed.group import RankGroup
from gluonic.distributed.mpi import mpi
from gluonic.graph import Array
from gluonic.graph.versions import mark_modified, write

PIECE_BYTES = 2 * 1024 * 1024
_SHORT = 4096  # bytes
_AHEAD = 2

COMBINE: dict[str, Any] = {
    "sum": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "product": np.multiply,
}


class AllReduce:
    """The reduction of one array, in the background.

    Parameters
    ----------
    group : the ranks
    values : the values, contiguous, with one axis; all ranks have the same number and dtype
    what : returns a description, for errors
    operation : a name of `COMBINE`
    into : the target of the result, as long as `values`; by default `values`
    tag : the tag of its messages; by default it is derived from the order of operations
    """

    def __init__(
        self,
        group: RankGroup,
        values: Array,
        what: Callable[[], str],
        operation: str = "sum",
        into: Array | None = None,
        tag: int | None = None,
    ) -> None:
        self._group, self._values, self._what = group, values, what
        self._into = values if into is None else into
        self._combine = COMBINE[operation]
        size, rank = group.size, group.rank
        self._is_short = values.nbytes <= _SHORT
        bounds = [len(values) * r // size for r in range(size + 1)]
        self._shares = [self._into[a:b] for a, b in pairwise(bounds)]
        shares = [values[a:b] for a, b in pairwise(bounds)]
        outgoing = [values] * size if self._is_short else shares
        self._own = outgoing[rank]
        self._scratch = group.borrow(size * self._own.nbytes)
        self._parts = self._scratch.view(values.dtype).reshape(size, len(self._own))
        self._tag = group.next_tag() if tag is None else tag
        self._requests, self._ranks = group.swap(outgoing, list(self._parts), self._tag)
        self._is_shared = self._is_done = False

    def share(self) -> None:
        """Wait for the parts, sum them, and begin to send the sum."""
        if not self._is_shared:
            self._wait()
            self._add_up_and_send()

    def _add_up_and_send(self) -> None:
        into = self._into if self._is_short else self._shares[self._group.rank]
        parts = list(self._parts)
        parts[self._group.rank] = self._own
        unused = self._parts[self._group.rank]
        add_up(parts, into, unused, self._combine)
        if not self._is_short:
            self._requests, self._ranks = self._group.swap(
                [into] * self._group.size, self._shares, self._tag
            )
        self._is_shared = True

    def advance(self) -> bool:
        """Make progress without waiting; return whether the result is available."""
        if self._is_done or not mpi().Request.Testall(self._requests):
            return self._is_done
        if not self._is_shared:
            self._add_up_and_send()
            if not self._is_short:
                return False
        self._end()
        return True

    def finish(self) -> None:
        """Wait for the result."""
        if not self._is_done:
            self.share()
            self._wait()
            self._end()

    def _end(self) -> None:
        self._is_done = True
        mark_modified(self._into)
        self._group.give_back(self._scratch)

    def _wait(self) -> None:
        kept = self._values, self._into, self._parts
        self._group.finish(self._requests, self._ranks, self._what, kept)


def add_up(parts: Sequence[Array], into: Array, scratch: Array, combine: Any = np.add) -> None:
    """Combine arrays in their order.

    Parameters
    ----------
    parts : at least one
    into : the target of the result; it may be one of them, so only the last step writes to it
    scratch : memory for partial results; neither the first array nor one that is read later
    combine : a ufunc
    """
    total, *rest = parts
    if not rest:
        write(into, total)
        return
    if total.dtype.itemsize == 2 and total.dtype.kind not in "iu":  # float16, bfloat16
        total = total.astype(np.float32)
    for number, part in enumerate(rest, 1):
        if total.dtype != part.dtype:
            combine(total, part, out=total)
        else:
            out = into if number == len(rest) else scratch
            total = combine(total, part, out=out)
    if total is not into:
        into[...] = total


def pieces(values: Array) -> list[slice]:
    """The slices in which an array of one axis is reduced."""
    length = max(1, PIECE_BYTES // values.itemsize)
    return [slice(start, start + length) for start in range(0, len(values), length)]


class Pipeline:
    """Pipelined sums over ranks: while one is computed, the messages of the next ones are in flight.

    Large arrays are divided into pieces, which are summed while they are in the cache.

    Parameters
    ----------
    group : the ranks
    operation : a name of `COMBINE`
    """

    def __init__(self, group: RankGroup, operation: str = "sum") -> None:
        self._group, self._operation = group, operation
        self._sent: deque[AllReduce] = deque()
        self._shared: deque[AllReduce] = deque()

    def add(self, values: Array, into: Array, what: Callable[[], str]) -> None:
        """Begin the reduction of an array of one axis; `into` may be the same array."""
        if self._group.size == 1:
            if into is not values:
                write(into, values)
            return
        for piece in pieces(values):
            self._sent.append(
                AllReduce(self._group, values[piece], what, self._operation, into[piece])
            )
            self._advance(_AHEAD)

    def finish(self) -> None:
        """Wait for all results."""
        self._advance(0)

    def _advance(self, most: int) -> None:
        """Finish sums until at most `most` are in flight."""
        while len(self._sent) > most:
            reduction = self._sent.popleft()
            reduction.share()
            self._shared.append(reduction)
            if len(self._shared) > most:
                self._shared.popleft().finish()
        while not most and self._shared:
            self._shared.popleft().finish()


def reduce(
    group: RankGroup, values: Array, what: Callable[[], str], operation: str = "sum"
) -> None:
    """Reduce an array over the ranks, in place; see `AllReduce`."""
    pipeline = Pipeline(group, operation)
    pipeline.add(values, values, what)
    pipeline.finish()


def reduce_encoded(
    group: RankGroup, codec: Codec, name: Any, values: Array, what: Callable[[], str]
) -> Array:
    """Sum encoded values; returns the sum, float32 with one axis.

    Each rank sends all of its encoded values to all others.
    """
    sent = codec.encoded(name, values)
    parts = [sent if r == group.rank else np.empty_like(sent) for r in range(group.size)]
    requests, ranks = group.swap([sent] * group.size, parts, group.next_tag())
    group.finish(requests, ranks, what, parts)
    return codec.total(parts, values.size)
