"""Copies from global to shared memory that go on while the threads compute: ``cp.async``."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

import numpy as np

from gluonic.device.emulated.accesses import BlockMemory
from gluonic.device.emulated.flow import Mask
from gluonic.device.emulated.formats import Array, unsigned


class _Copy(NamedTuple):
    """A copy that was asked for and is not made yet."""

    target: Array
    source: Array
    size: int
    used: Array | None
    active: Mask
    line: int


class PendingCopies:
    """The copies of some blocks, made when a thread waits for them, so that nobody reads them before."""

    def __init__(self, memory: BlockMemory) -> None:
        self._memory = memory
        self._groups: list[list[_Copy]] = [[]]

    def add(
        self, target: Array, source: Array, size: int, used: Array | None, active: Mask, line: int
    ) -> None:
        """Ask for a copy.

        Parameters
        ----------
        target, source : addresses in shared and in global memory
        size : in bytes
        used : how many of the bytes are read, the others are zeros; None for all
        """
        self._groups[-1].append(_Copy(target, source, size, used, active, line))

    def commit(self) -> None:
        """Close a group of copies."""
        self._groups.append([])

    def wait(self, pending: int) -> None:
        """Make the copies of all groups but the last ones."""
        while len(self._groups) - 1 > pending:
            for copy in self._groups.pop(0):
                self._make(copy)

    def wait_for_all(self) -> None:
        """Make all copies, those too whose group is still open."""
        self.commit()
        self.wait(0)

    def _make(self, copy: _Copy) -> None:
        if copy.used is None:
            self._copy_first(copy, copy.active, copy.size)
            return
        wanted = np.broadcast_to(copy.used, self._memory.shape)
        asked = np.ones(wanted.shape, bool) if copy.active is None else copy.active
        for used in np.unique(wanted[asked]):
            self._copy_first(copy, asked & (wanted == used), min(int(used), copy.size))

    def _copy_first(self, copy: _Copy, active: Mask, used: int) -> None:
        """Copy the first bytes; the others are zeros."""
        size = gcd(used, 4)
        count, load = copy.size // size, self._memory.load
        values: list[Array] = [np.zeros((1, 1), unsigned(size * 8))] * count
        if used == copy.size:
            values = list(load("global", copy.source, size, count, active, copy.line, ""))
        else:
            for unit in range(used // size):
                source = copy.source + np.uint64(unit * size)
                (values[unit],) = load("global", source, size, 1, active, copy.line, "")
        self._memory.store("shared", copy.target, size, values, active, copy.line, "")
