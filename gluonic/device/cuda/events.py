"""Points in a GPU's work, and the time between them."""

from __future__ import annotations

import ctypes

from gluonic.device.cuda.driver import Driver
from gluonic.device.device import Mark


class CudaEvent(Mark):
    """A point in the work of the GPU whose context is current.

    Parameters
    ----------
    driver : the driver
    """

    def __init__(self, driver: Driver) -> None:
        self._driver, self._handle = driver, 0
        self._handle = driver.number("cuEventCreate", ctypes.c_void_p, 0)
        driver.call("cuEventRecord", self._handle, None)

    def seconds_since(self, start: CudaEvent) -> float:
        """The time between two points on the GPU, in seconds; waits for this one."""
        milliseconds = ctypes.c_float()
        self._driver.call("cuEventSynchronize", self._handle)
        self._driver.call(
            "cuEventElapsedTime", ctypes.byref(milliseconds), start._handle, self._handle
        )
        return milliseconds.value / 1e3

    def __del__(self) -> None:
        if self._handle and not self._driver.forked:
            self._driver.call("cuEventDestroy_v2", self._handle)
