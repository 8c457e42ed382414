"""A GPU of NVIDIA's: memory, copies and kernels through the driver.

All work goes to the *default stream* of the primary context, the one that PyTorch, CuPy and Numba use: what
they have queued is done before what is queued here later, and the other way round, so memory can be shared
with them without waiting.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import BoundedSemaphore, Thread

import numpy as np
import numpy.typing as npt
from llvmlite import binding as llvm

from gluonic.device.cuda.driver import Driver, forked, is_lost
from gluonic.device.cuda.events import CudaEvent
from gluonic.device.cuda.host_memory import Arrivals, CudaLater, HostMemory
from gluonic.device.cuda.launch_lists import LaunchList
from gluonic.device.cuda.modules import CudaFunction, LoadedPtx, parameters_of
from gluonic.device.cuda.pool import MemoryPool
from gluonic.device.cuda.properties import properties
from gluonic.device.cuda.tensor_maps import encoded
from gluonic.device.device import (
    Buffer,
    Device,
    DeviceFunction,
    Dimensions,
    Loading,
    MemoryInfo,
    PreparedLaunch,
)
from gluonic.device.errors import DeviceError
from gluonic.device.tensor_maps import TensorMap
from gluonic.support.locks import lock

_DEFAULT_STREAM = 0
_NON_BLOCKING, _NO_TIMING = 1, 2
_SMALL_COPY = 64 << 10
"""Up to this size, in bytes, the driver's copy from the host keeps the source itself, and returns at once."""
_MEMORY_TYPE = 2
_compilations = BoundedSemaphore(os.cpu_count() or 1)
"""So many modules are compiled at a time at most."""
_MOST_NAMES = 64
"""How many launches an error that comes later may name."""


class CudaDevice(Device):
    """A GPU; its primary context is made, or shared with whoever has made it.

    Parameters
    ----------
    ordinal : the driver's number of it
    driver : the driver

    Attributes
    ----------
    driver : the driver
    properties : what the driver tells of it
    waits_after_launches : whether each launch waits for its kernel, as ``GLUONIC_GPU_SYNC=1`` asks, so that an
        error names the line that launched it
    """

    def __init__(self, ordinal: int, driver: Driver) -> None:
        self.driver, self.ordinal = driver, ordinal
        self.properties = properties(driver, ordinal)
        self.name = self.properties.name
        self.processor = self.properties.processor(driver.version, llvm.llvm_version_info[0])
        self.waits_after_launches = os.environ.get("GLUONIC_GPU_SYNC", "0") not in ("", "0")
        self._context = ctypes.c_void_p(
            self.driver.number("cuDevicePrimaryCtxRetain", ctypes.c_void_p, self.properties.number)
        )
        self._graphs = os.environ.get("GLUONIC_GPU_GRAPHS") != "0"
        self._lock = lock()
        self._thread = driver.thread
        self._set_current = self.driver.function("cuCtxSetCurrent", typed=False)
        self._launch = self.driver.function("cuLaunchKernel", typed=False)
        self._fills = {size: (name, driver.function(name)) for size, name in _FILLS.items()}
        self._is_alone = driver.count() == 1
        self.enter()
        self._stream = ctypes.c_void_p(_DEFAULT_STREAM)
        self._unused: list[Callable[[], None]] = []
        self._launched: deque[str] = deque(maxlen=_MOST_NAMES)
        self._pool = MemoryPool(self.driver, self.enter, self._gather, self, self._lock)
        self._host_memory = HostMemory(driver)
        self._arrivals: Arrivals | None = None

    def __repr__(self) -> str:
        return f"<{self.name}, gpu({self.ordinal})>"

    def enter(self) -> None:
        """Make the context this thread's; where there are several GPUs, others may have changed it."""
        if not self._thread.has_context:
            self._make_current()

    def _make_current(self) -> None:
        if self.driver.forked:
            raise forked()
        status = self._set_current(self._context)
        if status:
            raise self.driver.error("cuCtxSetCurrent", status)
        self._thread.has_context = self._is_alone

    # ------------------------------------------------------------------------------------- memory

    def allocate(self, size: int) -> Buffer:
        """New memory, with unspecified contents, aligned to 256 bytes.

        Raises
        ------
        DeviceMemoryError
            if there is not enough
        """
        self.enter()
        return self._pool.buffer(size)

    def allocator(self, size: int) -> Callable[[], Buffer]:
        """A function that allocates so many bytes at each call."""
        return self._pool.allocator(size)

    def mark(self) -> CudaEvent:
        """A point in the GPU's work: after all that was queued so far."""
        self.enter()
        return CudaEvent(self.driver)

    def memory_info(self) -> MemoryInfo:
        """The free and the total memory."""
        self.enter()
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self._call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return MemoryInfo(free.value + self._kept(), total.value)

    def _kept(self) -> int:
        """The size of the memory that is kept for reuse, in bytes."""
        return self._pool.kept() + (self._arrivals.kept() if self._arrivals else 0)

    def empty_cache(self) -> None:
        """Give pooled memory that is not in use back to the driver."""
        self.enter()
        if self._kept():
            self._pool.clear()
        self._host_memory.clear()

    def _gather(self) -> None:
        """Wait for all queued work, and put the memory in the pool that was kept for copies from the host."""
        self.synchronize()
        if self._arrivals is not None:
            self._arrivals.give_back()

    # ------------------------------------------------------------------------------------- copies

    def copy_in(self, address: int, source: npt.NDArray[np.generic]) -> None:
        """Copy a contiguous array of the host to the device; the array may be changed afterwards."""
        start, size = source.__array_interface__["data"][0], source.nbytes
        if size <= _SMALL_COPY and self._host_memory.is_used:
            source = (
                source.copy()
            )  # of page-locked memory, the driver's copy would wait for the GPU
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
        if not isinstance(other, CudaDevice):
            super().copy_across(target, other, source, size)
            return
        with self._lock:
            self._follow(other)
            contexts = self._context, other._context
            self._call(
                "cuMemcpyPeerAsync", target, contexts[0], source, contexts[1], size, self._stream
            )
        with other._lock:
            other._follow(self)  # before it uses the memory again

    def _follow(self, other: CudaDevice) -> None:
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

    # ------------------------------------------------------------------------------------ kernels

    def load(self, ptx: str, names: Sequence[str]) -> list[DeviceFunction]:
        """Load a module; return the kernels of these names, which the device keeps while they are used.

        Raises
        ------
        DeviceError
            if the driver refuses the PTX; with the log of its compiler
        """
        self.enter()
        sizes = parameters_of(ptx)
        module = LoadedPtx(self.driver, ptx, self._unused)
        return [CudaFunction(self.driver, module, name, sizes[name]) for name in names]

    def tensor_map(self, tensor: TensorMap) -> tuple[int, ...]:
        """See `Device.tensor_map`."""
        return encoded(self.driver, tensor)

    def begin_to_load(self, ptx: str, names: Sequence[str]) -> Loading:
        """As for all devices; a thread waits for the driver's compiler, which needs no Python."""
        outcome: Future[list[DeviceFunction]] = Future()
        Thread(target=self._load_into, args=(outcome, ptx, names), daemon=True).start()

        def wait() -> list[DeviceFunction]:
            if self.driver.forked:  # the thread is not there
                raise forked()
            return outcome.result()

        return wait

    def _load_into(
        self, outcome: Future[list[DeviceFunction]], ptx: str, names: Sequence[str]
    ) -> None:
        with _compilations:
            try:
                outcome.set_result(self.load(ptx, names))
            except BaseException as error:
                outcome.set_exception(error)

    def launch(
        self,
        function: DeviceFunction,
        grid: Dimensions,
        block: Dimensions,
        arguments: Sequence[int],
        shared_bytes: int = 0,
    ) -> None:
        """Run a kernel; without blocks, nothing runs.

        Parameters
        ----------
        grid, block : the number of blocks, and of threads in a block, along x, y and z
        arguments : see `Device.launch`
        shared_bytes : shared memory for each block besides what the kernel declares
        """
        assert isinstance(function, CudaFunction)
        if 0 in grid:
            return
        with self._lock:
            self.enter()
            if shared_bytes > function.most_shared_bytes:
                function.allow(shared_bytes)
            try:
                function.store(*arguments)
            except struct.error:
                raise function.refuse_arguments(arguments) from None
            status = self._launch(
                function.handle, *grid, *block, shared_bytes, self._stream, function.addresses, None
            )
            if status:
                raise self._failed(
                    "cuLaunchKernel",
                    status,
                    function.described(grid, block, arguments, shared_bytes),
                )
            self._launched.append(function.name)
        if self.waits_after_launches:
            self.synchronize()

    def prepared(self, launches: Sequence[PreparedLaunch], values: int) -> Callable[..., None]:
        """A function that queues launches by one call of the driver's function for each, and little else."""
        launches = [each for each in launches if 0 not in each.grid]
        if self.waits_after_launches or not launches:
            return super().prepared(launches, values)
        for each in launches:
            assert isinstance(each.function, CudaFunction)
            if len(each.arguments) != each.function.count:
                raise each.function.refuse_arguments([number for _, number in each.arguments])
            each.function.allow(each.shared_bytes)
        ready = LaunchList(launches, values, self.driver, self._unused if self._graphs else None)
        lock, thread, store, queue, names = (
            self._lock, self._thread, ready.store, ready.queue, ready.names,
        )  # fmt: skip

        def launch_all(*values: int) -> None:
            with lock:
                if not thread.has_context:
                    self._make_current()
                store(*values)
                result = queue()
                if result:
                    name, launch, status = ready.failure(result)
                    raise self._failed(name, status, _described(launch, values))
                self._launched.extend(names)

        return launch_all

    def synchronize(self) -> None:
        """Wait for all queued work.

        Raises
        ------
        DeviceError
            if a kernel failed
        """
        with self._lock:
            self.enter()
        self._call("cuStreamSynchronize", _DEFAULT_STREAM)
        self._launched.clear()
        while self._unused:
            self._unused.pop()()

    # ------------------------------------------------------------------------- others' streams

    def let_wait(self, stream: int) -> None:
        """Let the work that is queued later in another stream wait for all that is queued here now."""
        self._order(_DEFAULT_STREAM, stream)

    def wait_for(self, stream: int) -> None:
        """Let all work that is queued here later wait for what is queued in another stream now."""
        self._order(stream, _DEFAULT_STREAM)

    def _order(self, first: int, second: int) -> None:
        self.enter()
        event = self.driver.number("cuEventCreate", ctypes.c_void_p, _NO_TIMING)
        self._call("cuEventRecord", event, first)
        self._call("cuStreamWaitEvent", second, event, 0)
        self._call("cuEventDestroy_v2", event)

    # ------------------------------------------------------------------------------------- errors

    def _call(self, name: str, *arguments: object) -> None:
        status = self.driver.status(name, *arguments)
        if status:
            raise self._failed(name, status, [])

    def _failed(self, name: str, status: int, facts: list[str]) -> DeviceError:
        """The error of a call; where an earlier kernel caused it, with the kernels that may have."""
        if is_lost(status) and self._launched:
            names = ", ".join(dict.fromkeys(self._launched))
            facts = [
                f"it may be the fault of a kernel launched earlier; since the last wait: {names}",
                "with GLUONIC_GPU_SYNC=1 in the environment the error names the one at fault",
                *facts,
            ]
        return self.driver.error(name, status, facts)


def _described(launch: PreparedLaunch, values: Sequence[int]) -> list[str]:
    """What an error says about a launch."""
    function, grid, block, _, shared_bytes = launch
    assert isinstance(function, CudaFunction)
    return function.described(grid, block, launch.with_values(values), shared_bytes)


_FILLS = {1: "cuMemsetD8Async", 2: "cuMemsetD16Async", 4: "cuMemsetD32Async"}
