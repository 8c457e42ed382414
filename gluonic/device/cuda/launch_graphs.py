"""Launches as one graph of the driver's, which it queues at once: a launch takes the GPU 1 µs there."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from gluonic.device.cuda.driver import OUT_OF_MEMORY, Driver
from gluonic.device.cuda.functions import KernelNode

FIRST_VERSION = (12, 0)
"""The first version of CUDA whose drivers are asked for graphs."""


class LaunchGraph:
    """A graph in which each launch waits for the one before it.

    Parameters
    ----------
    driver : the driver; the device's context is current
    launches : what the nodes launch at first
    unused : functions that free what is not used any more, called when no work waits

    Attributes
    ----------
    executable : the driver's handle of the graph that can be queued; 0 if memory is lacking
    nodes : those of its nodes
    """

    def __init__(
        self,
        driver: Driver,
        launches: ctypes.Array[KernelNode],
        unused: list[Callable[[], None]],
    ) -> None:
        self._driver, self._unused, self.executable, self._graph = driver, unused, 0, 0
        self._graph = driver.number("cuGraphCreate", ctypes.c_void_p, 0)
        self.nodes = (ctypes.c_void_p * len(launches))()
        for i, launch in enumerate(launches):
            before = ctypes.byref(self.nodes, (i - 1) * ctypes.sizeof(ctypes.c_void_p))
            waits = (before, 1) if i else (None, 0)
            self.nodes[i] = driver.number(
                "cuGraphAddKernelNode", ctypes.c_void_p, self._graph, *waits, ctypes.byref(launch)
            )
        name, made = "cuGraphInstantiateWithFlags", ctypes.c_void_p()
        status = driver.status(name, ctypes.byref(made), self._graph, 0)
        if status not in (0, OUT_OF_MEMORY):
            raise driver.error(name, status)
        self.executable = made.value or 0

    def __del__(self) -> None:
        driver, executable, graph = self._driver, self.executable, self._graph
        if not graph:
            return

        def free() -> None:
            if executable:
                driver.call("cuGraphExecDestroy", executable)
            driver.call("cuGraphDestroy", graph)

        self._unused.append(free)
