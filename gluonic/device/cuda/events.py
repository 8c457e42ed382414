"""Points in a device's work, and the time between them."""

from __future__ import annotations

import ctypes

from gluonic.device.cuda.device import CudaDevice


class CudaEvent:
    """A point in a GPU's work, which is reached when all that was queued before is done.

    Parameters
    ----------
    device : the GPU
    """

    def __init__(self, device: CudaDevice) -> None:
        self._driver, self._handle = device.driver, 0
        device.enter()
        self._handle = self._driver.number("cuEventCreate", ctypes.c_void_p, 0)
        self._driver.call("cuEventRecord", self._handle, None)

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
