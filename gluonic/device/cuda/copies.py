"""Copies to, from and within a GPU, and from another one."""

from __future__ import annotations

import ctypes
from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from gluonic.device.cuda.driver import Driver
from gluonic.device.cuda.host_memory import Arrivals, CudaLater, HostMemory
from gluonic.device.cuda.pool import MemoryPool
from gluonic.device.cuda.properties import Properties
from gluonic.device.device import Buffer, Device
from gluonic.device.errors import DeviceError

_DEFAULT_STREAM, _NO_TIMING = 0, 2
_SMALL_COPY = 64 << 10
"""Up to this size, in bytes, the driver's copy from the host keeps the source itself, and returns at once."""
_MEMORY_TYPE = 2


class CudaCopies(Device):
    """What a GPU does to copy; the rest of it is `CudaDevice`."""

    driver: Driver
    properties: Properties
    _arrivals: Arrivals | None
    _context: ctypes.c_void_p
    _fills: dict[int, tuple[str, Any]]
    _host_memory: HostMemory
    _launched: Any
    _lock: Any
    _pool: MemoryPool
    _stream: ctypes.c_void_p

    @abstractmethod
    def enter(self) -> None:
        """Make the context this thread's."""

    @abstractmethod
    def _call(self, name: str, *arguments: object) -> None:
        """Call a function of the driver, which raises an error if it fails."""

    @abstractmethod
    def _failed(self, name: str, status: int, facts: list[str]) -> DeviceError:
        """The error of a call."""

    def copy_in(self, address: int, source: npt.NDArray[np.generic]) -> None:
        """Copy a contiguous array of the host to the device; the array may be changed afterwards."""
        start, size = source.__array_interface__["data"][0], source.nbytes
        if size <= _SMALL_COPY and self._host_memory.is_used:
            source = source.copy()  # the driver waits for the GPU where memory is page-locked
            start = source.__array_interface__["data"][0]
        with self._lock:
            self.enter()
            if (
                size > _SMALL_COPY
                and not self.properties.reads_host_memory
                and not self._is_pinned(start)
            ):
                self._call("cuMemcpyHtoDAsync_v2", address, start, size, self._stream)
            else:
                self._call("cuMemcpyHtoD_v2", address, start, size)

    def received(self, source: npt.NDArray[np.generic]) -> Buffer:
        """New memory with a copy of a contiguous array of the host, which may be changed afterwards.

        From page-locked memory it is copied while the GPU computes, and the host waits for the copy alone.
        """
        start, size = source.__array_interface__["data"][0], source.nbytes
        with self._lock:
            self.enter()
            is_beside = size > _SMALL_COPY and self._is_pinned(start)
            if is_beside:
                if self._arrivals is None:
                    self._arrivals = Arrivals(self.driver, self._pool, self)
                buffer = self._arrivals.target(size)
                wait = self._arrivals.copy(buffer.address, start, size)
        if not is_beside:
            return super().received(source)
        wait()
        return buffer

    def host_array(self, size: int) -> npt.NDArray[np.uint8]:
        """An array of page-locked memory of the host, of so many bytes, with unspecified values.

        In the child of a fork, which cannot use the GPU, it is ordinary memory.
        """
        if self.driver.forked:
            return super().host_array(size)
        with self._lock:
            self.enter()
            return self._host_memory.array(size)

    def later(self, address: int, size: int) -> CudaLater:
        """What memory holds when all that was queued so far is done."""
        with self._lock:
            self.enter()
            target = self._host_memory.array(size)
            start = target.__array_interface__["data"][0]
            self._call("cuMemcpyDtoHAsync_v2", start, address, size, self._stream)
            return CudaLater(self.driver, target)

    def _is_pinned(self, address: int) -> bool:
        """Whether the driver knows memory of the host, and would read it after the call has returned."""
        kind = ctypes.c_uint()
        return not self.driver.status(
            "cuPointerGetAttribute", ctypes.byref(kind), _MEMORY_TYPE, address
        )

    def copy_out(self, target: npt.NDArray[np.generic], address: int) -> None:
        """Wait for all queued work, and fill a contiguous array of the host from the device."""
        with self._lock:
            self.enter()
        start = target.__array_interface__["data"][0]
        self._call("cuMemcpyDtoH_v2", start, address, target.nbytes)
        self._launched.clear()

    def copy_within(self, target: int, source: int, size: int) -> None:
        """Copy memory that does not overlap from one address to another."""
        if not size:
            return
        with self._lock:
            self.enter()
            self._call("cuMemcpyDtoDAsync_v2", target, source, size, self._stream)

    def copy_across(self, target: int, other: Device, source: int, size: int) -> None:
        """Copy memory of another GPU to this one, when all is done that was queued on either; nobody waits."""
        if not isinstance(other, CudaCopies):
            super().copy_across(target, other, source, size)
            return
        with self._lock:
            self._follow(other)
            self._call(
                *("cuMemcpyPeerAsync", target, self._context),
                *(source, other._context, size, self._stream),
            )
        with other._lock:
            other._follow(self)  # before it uses the memory again

    def _follow(self, other: CudaCopies) -> None:
        """Let all work that is queued here later wait for what is queued on another GPU now."""
        other.enter()
        event = self.driver.number("cuEventCreate", ctypes.c_void_p, _NO_TIMING)
        self._call("cuEventRecord", event, _DEFAULT_STREAM)
        self.enter()
        self._call("cuStreamWaitEvent", _DEFAULT_STREAM, event, 0)
        self._call("cuEventDestroy_v2", event)

    def fill(self, address: int, pattern: bytes, count: int) -> None:
        """Repeat a pattern of 1, 2 or 4 bytes."""
        name, function = self._fills[len(pattern)]
        if not count:
            return
        with self._lock:
            self.enter()
            number = int.from_bytes(pattern, "little")
            status = function(address, number, count, self._stream)
            if status:
                raise self._failed(name, status, [])


FILLS = {1: "cuMemsetD8Async", 2: "cuMemsetD16Async", 4: "cuMemsetD32Async"}
