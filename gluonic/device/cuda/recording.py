"""Launches that are recorded once and replayed together: the driver's graphs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import NamedTuple

from gluonic.device.cuda.driver import Driver
from gluonic.device.cuda.functions import KernelNode
from gluonic.device.cuda.modules import CudaFunction
from gluonic.device.cuda.pool import MemoryPool
from gluonic.device.device import Dimensions, Recording

_RELAXED = 2
"""While work is recorded, any thread may still allocate memory and load kernels."""


class _Node(NamedTuple):
    """A launch in a graph of the driver."""

    number: int
    function: CudaFunction
    grid: Dimensions
    block: Dimensions
    shared_bytes: int


class CudaRecorder:
    """Work that is recorded instead of run, in the order in which it is queued.

    Parameters
    ----------
    driver : the driver; the device's context is current
    stream : a stream in which nothing runs
    pool : gets the buffers back in the end

    Attributes
    ----------
    nodes : the launches
    buffers : addresses and sizes, in bytes, of buffers that were dropped meanwhile: the work still uses them
    """

    def __init__(self, driver: Driver, stream: int, pool: MemoryPool) -> None:
        self._driver, self._stream, self.pool = driver, stream, pool
        self.buffers: list[tuple[int, int]] = []
        self.nodes: list[_Node] = []
        driver.call("cuStreamBeginCapture_v2", stream, _RELAXED)

    def note(
        self, function: CudaFunction, grid: Dimensions, block: Dimensions, shared_bytes: int
    ) -> None:
        """Remember which node the latest launch has become."""
        status, number, count = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_size_t()
        graph, nodes = ctypes.c_void_p(), ctypes.POINTER(ctypes.c_void_p)()
        results = [ctypes.byref(one) for one in (status, number, graph, nodes, count)]
        self._driver.call("cuStreamGetCaptureInfo_v2", self._stream, *results)
        self.nodes.append(_Node(nodes[0] or 0, function, grid, block, shared_bytes))

    def end(self) -> int:
        """Stop recording; return the driver's graph."""
        graph = ctypes.c_void_p()
        self._driver.call("cuStreamEndCapture", self._stream, ctypes.byref(graph))
        return graph.value or 0


class CudaRecording(Recording):
    """Work that a GPU replays.

    Parameters
    ----------
    driver : the driver
    graph : its graph, which the object owns
    recorder : what has recorded it
    queue : queues the executable graph of this handle
    unused : functions that free what is not used any more, called when no work waits
    """

    def __init__(
        self,
        driver: Driver,
        graph: int,
        recorder: CudaRecorder,
        queue: Callable[[CudaRecording], None],
        unused: list[Callable[[], None]],
    ) -> None:
        self.kernels = tuple(node.function.name for node in recorder.nodes)
        self._driver, self._graph, self._recorder = driver, graph, recorder
        self._queue, self._unused = queue, unused
        self.executable = 0
        self.executable = driver.number("cuGraphInstantiateWithFlags", ctypes.c_void_p, graph, 0)

    def replay(self) -> None:
        """Queue the work once more."""
        self._queue(self)

    def set_arguments(self, index: int, arguments: Sequence[int]) -> None:
        """Give a kernel other arguments for the replays that follow."""
        node = self._recorder.nodes[index]
        values = (ctypes.c_int64 * len(arguments))(*arguments)
        first = ctypes.addressof(values)
        addresses = (ctypes.c_void_p * len(arguments))(
            *[first + 8 * position for position in range(len(arguments))]
        )
        changed = KernelNode(
            node.function.handle,
            *node.grid,
            *node.block,
            node.shared_bytes,
            ctypes.addressof(addresses),
            None,
        )
        self._driver.call(
            "cuGraphExecKernelNodeSetParams", self.executable, node.number, ctypes.byref(changed)
        )

    def __del__(self) -> None:
        driver, executable, graph = self._driver, self.executable, self._graph
        for address, size in self._recorder.buffers:
            self._recorder.pool.put(address, size)

        def free() -> None:
            if executable:
                driver.call("cuGraphExecDestroy", executable)
            driver.call("cuGraphDestroy", graph)

        self._unused.append(free)
