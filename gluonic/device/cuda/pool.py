"""Blocks of a device's memory, kept for reuse, because the driver takes 100 µs for some and waits to free one.

The rules, which tests check:

- A request is rounded up to a *class*: 512 bytes, or a multiple of an eighth of the power of two below it,
  so at most an eighth of a large block is unused.
- It gets the free block of its class with the lowest address, so that a step that is repeated gets the same
  blocks. All work of a device is queued in one order, so a block can be used again at once: whoever reads it
  was queued before.
- If there is none, the driver allocates one.
- If the driver has not enough, all free blocks are given back to it after all queued work is done, and it is
  asked again; then once more after a garbage collection, which may find arrays in cycles.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from typing import Any

from gluonic.device.cuda.driver import OUT_OF_MEMORY, Driver
from gluonic.device.device import Buffer, Device
from gluonic.device.lacking_memory import lacking

_SMALLEST = 512
_new = object.__new__


class PooledBuffer(Buffer):
    """Memory that goes back to a pool when nothing refers to it."""

    __slots__ = ("blocks", "pool")

    pool: MemoryPool
    blocks: list[int]

    # The name is bound here: at the interpreter's end, those of modules may be gone.
    def __del__(self, push: Callable[[list[int], int], None] = heappush) -> None:
        push(self.blocks, self.address)


class MemoryPool:
    """The pool of a device.

    Memory may be taken by several threads, and given back by the garbage collector at any time: lists are
    changed by single operations that cannot be interrupted.

    Parameters
    ----------
    driver : the driver
    enter : makes the device's context the thread's
    finish : waits for all queued work, and puts back what is kept elsewhere
    device : the device, to name its arrays in errors
    lock : the device's, which is held while work is queued
    """

    def __init__(
        self,
        driver: Driver,
        enter: Callable[[], None],
        finish: Callable[[], None],
        device: Device,
        lock: Any,
    ) -> None:
        self._driver, self._enter, self._finish, self._device = driver, enter, finish, device
        self._lock = lock
        self._allocate = driver.function("cuMemAlloc_v2")
        self._free: dict[int, list[int]] = {}

    @staticmethod
    def block_size(size: int) -> int:
        """The size of the block for a request, in bytes.

        >>> [MemoryPool.block_size(size) for size in (0, 1, 513, 5000, 2**20, 2**20 + 1)]
        [512, 512, 1024, 5120, 1048576, 1179648]
        """
        if size <= _SMALLEST:
            return _SMALLEST
        step = 1 << max(9, (size - 1).bit_length() - 4)
        return -(-size // step) * step

    def buffer(self, size: int) -> PooledBuffer:
        """A buffer of so many bytes.

        Raises
        ------
        DeviceMemoryError
            if there is not enough memory
        """
        return self._buffer_from(self._blocks(size), size)

    def allocator(self, size: int) -> Callable[[], PooledBuffer]:
        """A function that gives a buffer of so many bytes at each call."""
        return partial(self._buffer_from, self._blocks(size), size)

    def _buffer_from(self, blocks: list[int], size: int) -> PooledBuffer:
        try:
            address = heappop(blocks)
        except IndexError:
            address = self.block(size)
        buffer = _new(PooledBuffer)
        buffer.device, buffer.address, buffer.size = self._device, address, size
        buffer.pool, buffer.blocks = self, blocks
        return buffer

    def _blocks(self, size: int) -> list[int]:
        """The free blocks of the class of a size."""
        return self._free.setdefault(self.block_size(size), [])

    def put(self, address: int, size: int) -> None:
        """Take a block back that had been asked for as so many bytes."""
        heappush(self._blocks(size), address)

    def kept(self) -> int:
        """The size of all free blocks, in bytes."""
        return sum(size * len(blocks) for size, blocks in list(self._free.items()))

    def clear(self) -> None:
        """Give all free blocks back to the driver, after all queued work."""
        with self._lock:
            self._finish()
            for blocks in list(self._free.values()):
                while blocks:
                    self._driver.call("cuMemFree_v2", blocks.pop())

    def block(self, size: int) -> int:
        """The address of a new block of the class of a size, which the driver gives.

        Raises
        ------
        DeviceMemoryError
            if there is not enough memory
        """
        self._enter()
        block = self.block_size(size)
        address = self._from_driver(block)
        if address is not None:
            return address
        for make_room in (self.clear, self._collect):
            make_room()
            address = self._from_driver(block)
            if address is not None:
                return address
        raise lacking(self._device, size)

    def _from_driver(self, block: int) -> int | None:
        address = ctypes.c_uint64()
        status = self._allocate(ctypes.byref(address), block)
        if status and status != OUT_OF_MEMORY:
            raise self._driver.error("cuMemAlloc_v2", status, [f"asked for {block} bytes"])
        return None if status else address.value

    def _collect(self) -> None:
        gc.collect()
        self.clear()
