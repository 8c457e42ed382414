"""Arrays in the memory of a device."""

from __future__ import annotations

from math import prod
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from gluonic.device.device import Buffer, Device
from gluonic.graph.errors import CallError, describe


class DeviceArray:
    """An array on a device, in C order. NumPy refuses it, so that nothing is copied to the host silently.

    Parameters
    ----------
    buffer : the memory that has it; views share it
    offset : the position of the first element in that memory, in bytes
    shape : the lengths of the axes
    dtype : the type of the elements

    Attributes
    ----------
    address : that of the first element on the device
    """

    __slots__ = ("__weakref__", "address", "buffer", "dtype", "offset", "shape")

    def __init__(
        self, buffer: Buffer, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> None:
        self.buffer, self.offset, self.shape, self.dtype = buffer, offset, shape, dtype
        self.address = buffer.address + offset

    @classmethod
    def empty(cls, device: Device, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        """A new array with unspecified elements."""
        dtype = np.dtype(dtype)
        return cls(device.allocate(prod(shape) * dtype.itemsize), 0, shape, dtype)

    @classmethod
    def of_host(cls, device: Device, array: npt.NDArray[Any]) -> DeviceArray:
        """A copy of an array of the host."""
        made = cls.empty(device, array.shape, array.dtype)
        made.copy_from_host(array)
        return made

    @property
    def device(self) -> Device:
        """The device that has it."""
        return self.buffer.device

    @property
    def size(self) -> int:
        """The number of elements."""
        return prod(self.shape)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """The size of the elements, in bytes."""
        return prod(self.shape) * self.dtype.itemsize

    def part(self, first: int, shape: tuple[int, ...], dtype: Any = None) -> DeviceArray:
        """A view of consecutive elements, from the one at index `first` of the flat array on."""
        offset = self.offset + first * self.dtype.itemsize
        return DeviceArray(
            self.buffer, offset, shape, self.dtype if dtype is None else np.dtype(dtype)
        )

    def reshaped(self, shape: tuple[int, ...]) -> DeviceArray:
        """A view with other axes and as many elements."""
        return self.part(0, shape)

    def copy(self) -> DeviceArray:
        """A copy on the same device."""
        made = DeviceArray.empty(self.device, self.shape, self.dtype)
        made.copy_from(self)
        return made

    def copy_from(self, source: DeviceArray) -> None:
        """Overwrite the elements by those of an array of this dtype and size on the same device."""
        if self.nbytes:
            self.device.copy_within(self.address, source.address, self.nbytes)

    def copy_from_host(self, source: npt.NDArray[Any]) -> None:
        """Overwrite the elements by those of an array of the host with this dtype and size."""
        if self.nbytes:
            self.device.copy_in(self.address, np.ascontiguousarray(source))

    def to_host(self) -> npt.NDArray[Any]:
        """A copy on the host; waits for the device."""
        made = np.empty(self.shape, self.dtype)
        if self.nbytes:
            self.device.copy_out(made, self.address)
        return made

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise CallError(
            describe(
                f"an array on gpu({self.device.ordinal}) is no NumPy array",
                facts=[f"shape {self.shape}, dtype {self.dtype}"],
                hint="x.asnumpy(), or x.as_in_context(mx.cpu())",
            )
        )

    __array_ufunc__ = None
