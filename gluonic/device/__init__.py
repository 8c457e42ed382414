"""Devices with memory of their own: what a GPU must do, and the arrays that are there."""

from gluonic.device.array import DeviceArray
from gluonic.device.device import (
    Buffer,
    Device,
    DeviceFunction,
    MemoryInfo,
    PreparedLaunch,
)

__all__ = [
    "Buffer",
    "Device",
    "DeviceArray",
    "DeviceFunction",
    "MemoryInfo",
    "PreparedLaunch",
]
