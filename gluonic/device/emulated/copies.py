"""Copies from global to shared memory that go on while the threads compute: ``cp.async``."""

from __future__ import annotations

from collections.abc import Sequence
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
        size = min(copy.size, 4)
        count = copy.size // size
        reads = copy.active
        if copy.used is not None:
            wanted = np.broadcast_to(copy.used, self._memory.shape)
            if ((wanted != 0) & (wanted != copy.size)).any():
                raise NotImplementedError(
                    "the emulated GPU does not know cp.async of a part of the bytes"
                )
            reads = (wanted != 0) if reads is None else reads & (wanted != 0)
        values: Sequence[Array] = [np.zeros((1, 1), unsigned(size * 8))] * count
        if reads is None or reads.any():
            values = self._memory.load("global", copy.source, size, count, reads, copy.line, "")
        self._memory.store("shared", copy.target, size, values, copy.active, copy.line, "")
