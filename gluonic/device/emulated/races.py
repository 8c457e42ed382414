"""Who read and wrote memory since threads last waited for one another, and whether that was a race.

Writes are stamped into arrays beside the memory and compared at once. Reads are noted, and compared with those
stamps at the next barrier, or at the end of the launch, if anybody wrote in that range.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gluonic.device.emulated.formats import Array
from gluonic.device.emulated.memory import DTYPES

SIMULTANEOUS = "writes what another thread writes at the same time"
_WORD = 4
_MOST_RANGES = 64
_MOST_NOTED = 1 << 24  # indices of reads, of 8 bytes each


class Accessors(NamedTuple):
    """The threads of some accesses. Stamps beyond `base` are of this launch, or since the last barrier.

    Attributes
    ----------
    base : the stamp before that of the first thread
    stamps : those of the threads
    threads : the number of those that may race
    party : how many of them, with stamps in a row, may read what one of these wrote
    """

    base: Array
    stamps: Array
    threads: int
    party: int

    def of(self, lanes: Array | None) -> Accessors:
        """Those with some indices."""
        if lanes is None:
            return self
        rows = lanes // self.stamps.shape[1] if len(self.base) > 1 else 0
        return self._replace(base=self.base[rows, 0], stamps=self.stamps.reshape(-1)[lanes])


class Conflict(NamedTuple):
    """A race.

    Attributes
    ----------
    which, place : the number of the access that takes part, and where it is in units of `size` bytes
    other : the stamp of the other thread
    what : what the first does
    """

    which: int
    place: int
    size: int
    other: int
    what: str


class NotedRead(NamedTuple):
    """Accesses that read.

    Attributes
    ----------
    places, size : where, in units of a size in bytes
    by : the threads
    lanes : their indices in their batch, None for all
    first, blocks : the number of the first block of that, and how many there are
    line : that of the instruction
    """

    places: Array
    size: int
    by: Accessors
    lanes: Array | None
    first: int
    blocks: int
    line: int


class Races:
    """Looks for races in a piece of memory of a size in bytes."""

    def __init__(self, size: int, allows_equal_values: bool) -> None:
        self.size, self.allows_equal_values = size, allows_equal_values
        self._stamps = {_WORD: np.zeros(-(-size // 16) * 4, "u4")}
        self._reads: list[NotedRead] = []
        self._noted = 0
        self._ranges: list[tuple[int, int]] = []

    def grow(self, size: int) -> None:
        """Follow memory that has become larger."""
        self.size = size
        for unit, stamps in self._stamps.items():
            grown = np.zeros(-(-size // 16) * 16 // unit, "u4")
            grown[: stamps.size] = stamps
            self._stamps[unit] = grown

    def _stamps_of(self, index: Array, size: int, unit: int) -> Array:
        """The stamps of accesses, with an axis of the units of each."""
        width = max(1, size // unit)
        if size < unit:
            index = index // (unit // size)
        stamps = self._stamps[unit].view(DTYPES[4 * width]) if width <= 4 else None
        if stamps is None:
            return np.asarray(self._stamps[unit].reshape(-1, width)[index])
        return stamps.take(index)[..., None].view("u4")

    def _stamp(self, index: Array, size: int, stamps: Array) -> None:
        """Set the stamps of accesses."""
        unit = _WORD if size >= _WORD else 1
        width = max(1, size // unit)
        self._stamps[unit].reshape(-1, width)[index] = stamps[..., None]

    # -- reads ------------------------------------------------------------------------------------

    def note(self, read: NotedRead) -> None:
        """Remember accesses that read."""
        self._reads.append(read)
        self._noted += read.places.size

    @property
    def is_full(self) -> bool:
        """Whether more reads are noted than should be kept."""
        return self._noted > _MOST_NOTED

    def conflicting_read(self) -> tuple[NotedRead, Conflict] | None:
        """The first read that conflicts with a write of another party."""
        if not self._ranges:
            return None
        for read in self._reads:
            low, high = int(read.places.min()) * read.size, (int(read.places.max()) + 1) * read.size
            if any(low < end and start < high for start, end in self._ranges):
                conflict = self._compare(read)
                if conflict is not None:
                    return read, conflict
        return None

    def _compare(self, read: NotedRead) -> Conflict | None:
        by = read.by.of(read.lanes)
        base, own = by.base[..., None], by.stamps[..., None]
        for unit in self._stamps:
            stamps = self._stamps_of(read.places, read.size, unit)
            if (stamps > base.min()).any():
                bad = (stamps > base) & (stamps <= base + np.uint32(by.threads))
                bad = bad & ((stamps - base - 1) // by.party != (own - base - 1) // by.party)
                if bad.any():
                    return _conflict(
                        bad, stamps, read.places, read.size, "reads what another thread writes"
                    )
        return None

    def forget(self) -> None:
        """All threads have waited for one another: no later access races with one until now."""
        self._reads, self._ranges, self._noted = [], [], 0

    def forget_reads(self) -> None:
        """Keep the writes alone."""
        self._reads, self._noted = [], 0

    # -- writes -----------------------------------------------------------------------------------

    def store(
        self, index: Array, size: int, by: Accessors, harmless: Array | None
    ) -> Conflict | None:
        """Note accesses that write; the race with another such, if there is one.

        Parameters
        ----------
        harmless : which accesses write what is there already, if such are allowed
        """
        if size < _WORD and 1 not in self._stamps:
            self._stamps[1] = np.zeros(-(-self.size // 16) * 16, "u4")
        for unit in self._stamps:
            stamps = self._stamps_of(index, size, unit)
            if (stamps > by.base.min()).any():
                bad = (stamps > by.base[..., None]) & (stamps != by.stamps[..., None])
                if harmless is not None:
                    bad = bad & ~harmless[..., None]
                if bad.any():
                    return _conflict(bad, stamps, index, size, "writes what another thread wrote")
        self._stamp(index, size, by.stamps)
        self._add_range(int(index.min()) * size, (int(index.max()) + 1) * size)
        if harmless is None:
            after = self._stamps_of(index, size, _WORD if size >= _WORD else 1)
            bad = after != by.stamps[..., None]
            if bad.any():
                return _conflict(bad, after, index, size, SIMULTANEOUS)
        return None

    def _add_range(self, start: int, end: int) -> None:
        apart = []
        for low, high in self._ranges:
            if high < start or end < low:
                apart.append((low, high))
            else:
                start, end = min(start, low), max(end, high)
        self._ranges = [*apart, (start, end)]
        if len(self._ranges) > _MOST_RANGES:
            self._ranges = [
                (min(low for low, _ in self._ranges), max(high for _, high in self._ranges))
            ]


def _conflict(bad: Array, stamps: Array, index: Array, size: int, what: str) -> Conflict:
    where = int(np.argmax(bad))
    stamp = int(np.broadcast_to(stamps, bad.shape).flat[where])
    which = where // bad.shape[-1]
    place = int(np.broadcast_to(index, bad.shape[:-1]).flat[which])
    return Conflict(which, place, size, stamp, what)
