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

from llvmlite import binding as llvm

from gluonic.device.cuda.copies import FILLS, CudaCopies
from gluonic.device.cuda.driver import Driver, forked, is_lost
from gluonic.device.cuda.events import CudaEvent
from gluonic.device.cuda.host_memory import Arrivals, HostMemory
from gluonic.device.cuda.launch_lists import LaunchList
from gluonic.device.cuda.modules import CudaFunction, LoadedPtx, parameters_of
from gluonic.device.cuda.pool import MemoryPool
from gluonic.device.cuda.properties import properties
from gluonic.device.cuda.tensor_maps import encoded
from gluonic.device.device import (
    Buffer,
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
_compilations = BoundedSemaphore(os.cpu_count() or 1)
"""So many modules are compiled at a time at most."""
_MOST_NAMES = 64
"""How many launches an error that comes later may name."""


class CudaDevice(CudaCopies):
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
        self._fills = {size: (name, driver.function(name)) for size, name in FILLS.items()}
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
