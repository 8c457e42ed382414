"""Launches of kernels, and consecutive blocks of them: the numbers of their threads, and their errors."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from gluonic.device.device import Dimensions
from gluonic.device.emulated.formats import Array
from gluonic.device.emulated.memory import GlobalMemory
from gluonic.device.emulated.races import Accessors, Races
from gluonic.device.errors import DeviceError
from gluonic.graph.errors import describe
from gluonic.support.record import record


@record
class EmulatedLaunch:
    """What all blocks of a launch share.

    Attributes
    ----------
    name, lines : of the kernel: its name, and those of its text
    memory, races : that of the device, and who accessed it
    grid, block : the number of blocks, and of threads in a block
    base : the stamp before that of the first thread
    shared_size, local_size : of a block and of a thread, in bytes
    """

    name: str
    lines: Sequence[str]
    memory: GlobalMemory
    races: Races
    grid: Dimensions
    block: Dimensions
    base: int
    shared_size: int
    local_size: int

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return prod(self.grid)

    @property
    def threads(self) -> int:
        """The number of threads in a block."""
        return prod(self.block)

    def blocks_from(self, first: int, count: int) -> BlockRange:
        """Some blocks."""
        return BlockRange(self, first, count)


class BlockRange:
    """Consecutive blocks of a launch.

    Attributes
    ----------
    shape : their number, and that of threads in each
    accessors : the threads, as those who access the memory of the device
    """

    def __init__(self, launch: EmulatedLaunch, first: int, count: int) -> None:
        self.launch, self.first, self.shape = launch, first, (count, launch.threads)
        self._blocks = np.arange(first, first + count, dtype="u4")[:, None]
        self._threads = np.arange(launch.threads, dtype="u4")[None]
        base = np.full((1, 1), launch.base, "u4")
        numbers = self._blocks * np.uint32(launch.threads) + self._threads
        self.accessors = Accessors(
            base, base + np.uint32(1) + numbers, launch.blocks * launch.threads, launch.threads
        )

    @property
    def blocks(self) -> Array:
        """The number of each block, on the axis of blocks."""
        return self._blocks

    @property
    def threads(self) -> Array:
        """The number of each thread in its block, on the axis of threads."""
        return self._threads

    # -- errors -----------------------------------------------------------------------------------

    def fault(self, line: int, lane: int, what: str, facts: Sequence[str] = ()) -> DeviceError:
        """An error at a line, by a thread: its index among all of these blocks."""
        block, thread = divmod(lane, self.shape[1])
        text = self.launch.lines[line - 1].strip()
        return DeviceError(
            describe(
                f"{self.launch.name}: {what} ({self._named(self.first + block, thread)})",
                facts=[*facts, f"line {line} of the PTX: {text}"],
            )
        )

    def thread_of(self, space: str, lane: int, stamp: int) -> str:
        """The thread with a stamp, in words; that of shared memory is of the same block as another thread."""
        threads = self.shape[1]
        if space == "shared":
            return self._named(self.first + lane // threads, stamp % (threads + 1) - 1)
        return self._named(*divmod(stamp - self.launch.base - 1, threads))

    def _named(self, block: int, thread: int) -> str:
        return f"block {_at(block, self.launch.grid)}, thread {_at(thread, self.launch.block)}"


def _at(index: int, dimensions: Dimensions) -> tuple[int, int, int]:
    """The three numbers of the block or thread with an index."""
    return (
        index % dimensions[0],
        index // dimensions[0] % dimensions[1],
        index // (dimensions[0] * dimensions[1]),
    )
