"""A GPU that runs PTX in NumPy and checks what a GPU doesn't."""

from gluonic.device.emulated.device import EmulatedDevice

__all__ = ["EmulatedDevice"]
