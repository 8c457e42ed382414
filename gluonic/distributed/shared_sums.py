"""Sums over ranks of one machine, in memory that they share: no message carries a gradient.

Each rank writes what the others are to add up into a row of its own, where large arrays that come again, such
as gradients, may lie for good. When all have, each adds up its share of the elements, ((x₀ + x₁) + x₂) + … as
`reduction` does, into the row of sums; when all have, everybody reads them there. So ranks meet twice. Rows
are written again before the next first meeting, where nobody reads them since the second one; sums are written
after it, where all have used the ones before.
"""

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np

from gluonic.distributed.buckets import LARGE
from gluonic.distributed.group import RankGroup
from gluonic.distributed.reduction import add_up
from gluonic.distributed.shared_memory import PAGE, SharedMemory, share_memory
from gluonic.distributed.slots import Kind, Slots
from gluonic.graph import Array
from gluonic.graph.versions import add, register_owner, write
from gluonic.support.record import record

_ALIGNMENT = 64  # bytes: a line of the cache, and the widest registers
_PIECE = 256 * 1024  # bytes: rows of a few ranks and their sum are in the cache at once


@record
class _Member:
    """Where an array lies in its segment.

    Attributes
    ----------
    index : its index among all arrays
    start, length : elements
    is_large : whether this rank's share of it is read from where the array is
    """

    index: int
    start: int
    length: int
    is_large: bool


class _Segment:
    """The arrays of one dtype.

    Parameters
    ----------
    members : the small ones, then the large ones
    rows : a row for each rank, and one for the sums
    rank : which of them this is
    kinds : the shapes and dtypes of all arrays
    slots : the large ones that lie in this rank's row
    """

    def __init__(
        self,
        members: Sequence[_Member],
        rows: Array,
        rank: int,
        kinds: Sequence[Kind],
        slots: Slots,
    ) -> None:
        self._slots = slots
        self._rank, self._parts, self.total = rank, list(rows[:-1]), rows[-1]
        size, length = len(self._parts), rows.shape[1]
        unit = _unit(rows.dtype)
        bounds = [length // unit * r // size * unit for r in range(size)] + [length]
        self._begin, self._end = bounds[rank], bounds[rank + 1]
        own = self._parts[rank]
        self._copied = [(m, _view(own, m, kinds)) for m in members if not m.is_large]
        self._large = [(m, _view(own, m, kinds)) for m in members if m.is_large]
        self._small_end = min((m.start for m, _ in self._large), default=length)
        self.sums = {m.index: _view(self.total, m, kinds) for m in members}

    def fill(self, sources: Sequence[Sequence[Array]]) -> None:
        """Write into this rank's row the arrays that other ranks sum, and those that are not read in place."""
        for member, view in self._copied:
            _write_sum(view, sources[member.index])
        own = self._parts[self._rank]
        for member, view in self._large:
            arrays = sources[member.index]
            if self._slots.has(member.index, arrays[0]):
                continue
            if len(arrays) > 1:
                _write_sum(view, arrays)
                continue
            flat, start, end = arrays[0].reshape(-1), member.start, member.start + member.length
            before, after = min(end, max(start, self._begin)), max(start, min(end, self._end))
            own[start:before] = flat[: before - start]
            own[after:end] = flat[after - start :]

    def add_up(self, sources: Sequence[Sequence[Array]]) -> None:
        """Add up this rank's share."""
        self._add_up(self._parts[self._rank], 0, self._begin, min(self._end, self._small_end))
        for member, view in self._large:
            arrays = sources[member.index]
            own = (arrays[0] if len(arrays) == 1 else view).reshape(-1)
            begin = max(self._begin, member.start)
            self._add_up(own, member.start, begin, min(self._end, member.start + member.length))

    def _add_up(self, own: Array, start: int, begin: int, end: int) -> None:
        """Add up elements of the rows; `own` holds this rank's from `start` on."""
        step = _PIECE // own.itemsize
        for first in range(begin, end, step):
            last = min(end, first + step)
            parts = [row[first:last] for row in self._parts]
            parts[self._rank] = own[first - start : last - start]
            into = self.total[first:last]
            add_up(parts, into, into)


class SharedSums:
    """Sums of the same arrays in one step after the other; see `open_shared_sums`.

    Parameters
    ----------
    group : the ranks
    names, kinds : the arrays' names, and shapes and dtypes
    memory : what all ranks share
    """

    def __init__(
        self, group: RankGroup, names: Sequence[str], kinds: Sequence[Kind], memory: SharedMemory
    ) -> None:
        self._group = group
        self._said = f"the gradients of {names[0]} to {names[-1]}"
        self._slots = Slots(memory)
        self._segments = []
        everything = register_owner(np.ndarray((len(memory),), np.uint8, buffer=memory))
        start = PAGE
        for dtype, members, length in _segments(kinds):
            own = start + group.rank * length * dtype.itemsize
            for member in members:
                if member.is_large:
                    offset = own + member.start * dtype.itemsize
                    self._slots.add(member.index, offset, kinds[member.index])
            size = (group.size + 1) * length * dtype.itemsize
            rows = everything[start : start + size].view(dtype).reshape(group.size + 1, length)
            self._segments.append(_Segment(members, rows, group.rank, kinds, self._slots))
            start += size
        found: dict[int, Array] = {}
        for segment in self._segments:
            found.update(segment.sums)
        self._sums = [found[index] for index in range(len(kinds))]

    def slot(self, index: int) -> Array | None:
        """Memory for an array where other ranks read it, so that it need not be copied there in each step.

        None if the array is small, or somebody still holds what lay there. Nothing reads it but `sum_up`.
        """
        return self._slots.take(index)

    def is_in_slot(self, index: int, array: Array) -> bool:
        """Whether an array is the one that `slot` has returned."""
        return self._slots.has(index, array)

    def can_sum_up(self, sources: Sequence[Sequence[Array]]) -> bool:
        """Whether nobody holds memory that `sum_up` would write into."""
        return self._slots.are_free_for(sources)

    def sum_up(self, sources: Sequence[Sequence[Array]], in_place: bool = False) -> list[Array]:
        """Sum up all arrays over the ranks.

        Parameters
        ----------
        sources : for each array those of all contexts, contiguous, which are summed up as well
        in_place : whether the sums replace the first sources

        Returns
        -------
        list
            the sums: in memory that is used again by the next call, or the first sources

        Raises
        ------
        RankFailedError
            if a rank does not come, or has given up: it may have written into its row since
        """
        try:
            for segment in self._segments:
                segment.fill(sources)
            self._group.meet(self._what)
            for segment in self._segments:
                segment.add_up(sources)
            self._group.meet(self._what)
        except BaseException as error:
            self._group.watch.give_up(error)
            raise
        if not in_place:
            return self._sums
        for (first, *_), total in zip(sources, self._sums, strict=True):
            write(first, total)
        return [arrays[0] for arrays in sources]

    def _what(self) -> str:
        return self._said


def open_shared_sums(
    group: RankGroup, names: Sequence[str], kinds: Sequence[Kind]
) -> SharedSums | None:
    """Map memory for sums, which all ranks of a group do at once.

    Parameters
    ----------
    group : ranks of one machine
    names, kinds : the arrays' names, and shapes and dtypes; the same on all ranks

    Returns
    -------
    SharedSums or None
        None, on all ranks, if they cannot share so much memory
    """
    size = (group.size + 1) * sum(length * dtype.itemsize for dtype, _, length in _segments(kinds))
    memory = share_memory(group, size)
    return None if memory is None else SharedSums(group, names, kinds, memory)


def _segments(kinds: Sequence[Kind]) -> Iterator[tuple[np.dtype, list[_Member], int]]:
    """For each dtype where its arrays lie, and how many elements that takes."""
    for dtype in dict.fromkeys(dtype for _, dtype in kinds):
        lengths = {i: prod(shape) for i, (shape, own) in enumerate(kinds) if own == dtype}
        unit, start, members = _unit(dtype), 0, []
        for is_large in (False, True):
            for index, length in lengths.items():
                if (length * dtype.itemsize >= LARGE) is is_large:
                    members.append(_Member(index, start, length, is_large))
                    start += -(-length // unit) * unit
        yield dtype, members, start


def _unit(dtype: np.dtype) -> int:
    """The least number of elements that fills whole cache lines."""
    return max(1, _ALIGNMENT // dtype.itemsize)


def _view(row: Array, member: _Member, kinds: Sequence[Kind]) -> Array:
    return row[member.start : member.start + member.length].reshape(kinds[member.index][0])


def _write_sum(into: Array, arrays: Sequence[Array]) -> None:
    """Write the sum over contexts."""
    first, *rest = arrays
    write(into, first)
    for other in rest:
        add(into, other)
