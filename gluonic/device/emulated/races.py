"""Who read and wrote memory since threads last waited for one another, and whether that was a race."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gluonic.device.emulated.formats import Array
from gluonic.device.emulated.memory import Owners

SIMULTANEOUS = "writes what another thread writes at the same time"
_WORD = 4


class Accessors(NamedTuple):
    """The threads of some accesses. Stamps from `base` on are of this launch, or since the last barrier.

    Attributes
    ----------
    base : the stamp before that of the first thread
    stamps : those of the threads
    party_base, parties : the same for parties: the threads of one may read what another of it wrote
    threads_per_party : their number
    """

    base: Array
    stamps: Array
    party_base: Array
    parties: Array
    threads_per_party: int


class Conflict(NamedTuple):
    """A race: which access takes part, the stamp of the other, what happened."""

    which: int
    other: int
    what: str


class Races:
    """Looks for races in a piece of memory, word by word, or byte by byte where there are smaller accesses."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.writers = {_WORD: Owners(size, _WORD)}
        self.readers = {_WORD: Owners(size, _WORD)}
        self.allows_equal_values = False

    def grow(self, size: int) -> None:
        """Follow memory that has become larger."""
        self.size = size
        for owners in (*self.writers.values(), *self.readers.values()):
            owners.grow(size)

    def _use_bytes(self) -> None:
        if 1 not in self.writers:
            self.writers[1], self.readers[1] = Owners(self.size, 1), Owners(self.size, 1)

    def load(self, offsets: Array, size: int, by: Accessors, remembers: bool) -> Conflict | None:
        """Note accesses that read; the race with one that wrote, if there is one."""
        if size < _WORD:
            self._use_bytes()
        for owners in self.writers.values():
            stamps = owners.get(offsets, size)
            if (stamps > by.base[..., None]).any():
                party = (
                    by.party_base[..., None]
                    + 1
                    + (stamps - by.base[..., None] - 1) // by.threads_per_party
                )
                bad = (stamps > by.base[..., None]) & (party != by.parties[..., None])
                if bad.any():
                    return _conflict(
                        bad, stamps, "reads what another thread wrote, without a barrier between"
                    )
        if remembers:
            self._remember(offsets, size, by)
        return None

    def _remember(self, offsets: Array, size: int, by: Accessors) -> None:
        """Stamp what is read; the stamp before that of the first party means several parties."""
        owners = self.readers[_WORD if size >= _WORD else 1]
        before = owners.get(offsets, size)
        mine, several = by.parties[..., None], by.party_base[..., None]
        shared = (before >= several) & (before != mine) & (before > 0)
        new = np.where(shared, several, mine)
        owners.put(offsets, size, new)
        lost = owners.get(offsets, size) != new
        if lost.any():
            which = lost.any(-1)
            owners.put(offsets[which], size, np.broadcast_to(several, lost.shape)[which])

    def store(
        self, offsets: Array, size: int, by: Accessors, known_equal: Array | None
    ) -> Conflict | None:
        """Note accesses that write; the race with another, if there is one.

        Parameters
        ----------
        known_equal : which accesses write what is there already, if such are allowed
        """
        if size < _WORD:
            self._use_bytes()
        harmless = np.zeros(1, bool) if known_equal is None else known_equal[..., None]
        for owners in self.writers.values():
            stamps = owners.get(offsets, size)
            bad = (stamps > by.base[..., None]) & (stamps != by.stamps[..., None]) & ~harmless
            if bad.any():
                return _conflict(bad, stamps, "writes what another thread wrote")
        for owners in self.readers.values():
            stamps = owners.get(offsets, size)
            bad = (
                (stamps >= by.party_base[..., None])
                & (stamps != by.parties[..., None])
                & (stamps > 0)
                & ~harmless
            )
            if bad.any():
                return _conflict(
                    bad, stamps, "writes what another thread read, without a barrier between", True
                )
        owners = self.writers[_WORD if size >= _WORD else 1]
        owners.put(offsets, size, by.stamps[..., None])
        if known_equal is None:
            after = owners.get(offsets, size)
            bad = after != by.stamps[..., None]
            if bad.any():
                return _conflict(bad, after, SIMULTANEOUS)
        return None


def _conflict(bad: Array, stamps: Array, what: str, of_party: bool = False) -> Conflict:
    where = int(np.argmax(bad))
    stamp = int(np.broadcast_to(stamps, bad.shape).flat[where])
    return Conflict(where // bad.shape[-1], -1 if of_party else stamp, what)
