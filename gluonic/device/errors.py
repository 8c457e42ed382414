"""What goes wrong on a device."""

from gluonic.graph.errors import MXNetError
from gluonic.graph.memory import TooLargeError


class DeviceError(MXNetError):
    """A device, or its driver, could not do what was asked of it."""


class DeviceMemoryError(DeviceError, TooLargeError):
    """A device has not enough memory."""


class NoDeviceError(DeviceError):
    """There is no such device, or no driver."""
