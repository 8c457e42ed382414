"""Memory of the host that a GPU can read and write by itself: *page-locked* memory, and copies that use it.

The driver takes milliseconds to lock pages, so blocks are kept for reuse, in the classes of the memory pool.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gluonic.device.cuda.driver import Driver
from gluonic.device.cuda.pool import MemoryPool
from gluonic.device.device import Buffer, Device, Later

_DEFAULT_STREAM = 0
_NON_BLOCKING, _NO_TIMING, _PORTABLE = 1, 2, 1
_MOST_WAITING = 4
"""How many blocks of a size may wait until their readers are done, before a copy waits for one of them."""


class _Block:
    """Page-locked memory, as NumPy sees it; it goes back to where it came from with the last array in it."""

    def __init__(self, address: int, size: int, blocks: list[int]) -> None:
        self.address, self._blocks = address, blocks
        self.__array_interface__ = {
            "data": (address, False),
            "shape": (size,),
            "typestr": "|u1",
            "version": 3,
        }

    def __del__(self) -> None:
        self._blocks.append(self.address)


class HostMemory:
    """The page-locked memory that was asked for by way of a GPU.

    Parameters
    ----------
    driver : the driver
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._free: dict[int, list[int]] = {}

    def array(self, size: int) -> npt.NDArray[np.uint8]:
        """An array of so many bytes with unspecified values; a context must be current.

        Raises
        ------
        DeviceError
            if the system does not lock as much
        """
        block = MemoryPool.block_size(size)
        blocks = self._free.setdefault(block, [])
        try:
            address = blocks.pop()
        except IndexError:
            address = self._driver.number("cuMemHostAlloc", ctypes.c_void_p, block, _PORTABLE)
        return np.asarray(_Block(address, size, blocks))

    @property
    def is_used(self) -> bool:
        """Whether there was any."""
        return bool(self._free)

    def clear(self) -> None:
        """Give what no array uses back to the system; nothing may be queued that reads or writes it."""
        for blocks in list(self._free.values()):
            while blocks:
                self._driver.call("cuMemFreeHost", blocks.pop())


class CudaLater(Later):
    """Bytes that the GPU writes to page-locked memory when all that was queued before is done.

    Parameters
    ----------
    driver : the driver
    target : the memory
    """

    def __init__(self, driver: Driver, target: npt.NDArray[np.uint8]) -> None:
        self._driver, self._target, self._event = driver, target, 0
        self._event = driver.number("cuEventCreate", ctypes.c_void_p, _NO_TIMING)
        driver.call("cuEventRecord", self._event, _DEFAULT_STREAM)

    def read(self) -> bytes:
        """The bytes; waits for them alone, not for what was queued later."""
        self._driver.call("cuEventSynchronize", self._event)
        return self._target.tobytes()

    def __del__(self) -> None:
        if self._event and not self._driver.forked:
            self._driver.status("cuEventSynchronize", self._event)  # then the memory can be reused
            self._driver.status("cuEventDestroy_v2", self._event)


class ArrivedBuffer(Buffer):
    """Memory that was filled beside what the GPU computed; it can be filled again when its readers are done."""

    __slots__ = ("blocks",)

    blocks: list[int]

    def __del__(self) -> None:
        self.blocks.append(self.address)


class Arrivals:
    """Copies from page-locked memory to a GPU, while it computes: a stream of its own has them.

    Their targets are not taken from the pool, whose free blocks may still be read by work that is queued. A
    target that is given back is used again when all that was queued by the next copy is done.

    Parameters
    ----------
    driver : the driver
    pool : what gets more memory from the driver
    device : the device
    """

    def __init__(self, driver: Driver, pool: MemoryPool, device: Device) -> None:
        self._driver, self._pool, self._device = driver, pool, device
        self._stream = driver.number("cuStreamCreate", ctypes.c_void_p, _NON_BLOCKING)
        self._given_back: dict[int, list[int]] = {}
        self._waiting: deque[tuple[int, int, list[int]]] = deque()
        self._ready: dict[int, list[int]] = {}

    def target(self, size: int) -> ArrivedBuffer:
        """Memory for the next copy; the caller holds the device's lock, and its context is current."""
        block = MemoryPool.block_size(size)
        self._sort()
        ready = self._ready.setdefault(block, [])
        while not ready and sum(one == block for _, one, _ in self._waiting) >= _MOST_WAITING:
            self._settle(self._waiting.popleft(), waits=True)
        buffer = object.__new__(ArrivedBuffer)
        buffer.device, buffer.size = self._device, size
        buffer.blocks = self._given_back.setdefault(block, [])
        buffer.address = ready.pop() if ready else self._pool.block(size)
        return buffer

    def copy(self, target: int, source: int, size: int) -> Callable[[], None]:
        """Begin a copy; the function that is returned waits for it, and needs no lock."""
        self._driver.call("cuMemcpyHtoDAsync_v2", target, source, size, self._stream)
        return lambda: self._driver.call("cuStreamSynchronize", self._stream)

    def _sort(self) -> None:
        """Find out which blocks were given back, and which of them nothing queued reads any more."""
        for block, addresses in self._given_back.items():
            if addresses:
                event = self._driver.number("cuEventCreate", ctypes.c_void_p, _NO_TIMING)
                self._driver.call("cuEventRecord", event, _DEFAULT_STREAM)
                self._waiting.append((event, block, _taken(addresses)))
        while self._waiting and not self._driver.status("cuEventQuery", self._waiting[0][0]):
            self._settle(self._waiting.popleft())

    def _settle(self, waiting: tuple[int, int, list[int]], *, waits: bool = False) -> None:
        event, block, addresses = waiting
        if waits:
            self._driver.call("cuEventSynchronize", event)
        self._driver.call("cuEventDestroy_v2", event)
        self._ready.setdefault(block, []).extend(addresses)

    def kept(self) -> int:
        """The size of all blocks that no array uses, in bytes."""
        kinds: list[Any] = [*self._given_back.items(), *self._ready.items()]
        kinds += [(block, addresses) for _, block, addresses in self._waiting]
        return sum(block * len(addresses) for block, addresses in kinds)

    def give_back(self) -> None:
        """Give the blocks that no array uses to the pool; all queued work is done."""
        while self._waiting:
            self._settle(self._waiting.popleft())
        for kind in (self._given_back, self._ready):
            for block, addresses in list(kind.items()):
                for address in _taken(addresses):
                    self._pool.put(address, block)


def _taken(addresses: list[int]) -> list[int]:
    """The elements of a list to which others may append meanwhile; they are removed."""
    return [addresses.pop() for _ in range(len(addresses))]
