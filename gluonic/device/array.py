"""Arrays in the memory of a device."""

from __future__ import annotations

from math import prod
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from gluonic.device.device import Buffer, Device
from gluonic.graph.errors import CallError, describe
from gluonic.support.caches import Interned

ALIGNMENT = 16
"""Of addresses, in bytes, as kernels expect it of whole arrays."""
_new = object.__new__


class DeviceForm:
    """What code for an array depends on. Equal forms are one object, so they are compared and hashed quickly.

    Attributes
    ----------
    device : the device
    shape : the lengths of the axes
    dtype : the type of the elements
    is_aligned : whether the address is a multiple of `ALIGNMENT`
    size, nbytes : the number of elements, and of their bytes
    """

    __slots__ = ("__weakref__", "device", "dtype", "is_aligned", "nbytes", "shape", "size")

    def __init__(
        self, device: Device, shape: tuple[int, ...], dtype: np.dtype[Any], is_aligned: bool
    ) -> None:
        self.device, self.shape, self.dtype, self.is_aligned = device, shape, dtype, is_aligned
        self.size = prod(shape)
        self.nbytes = self.size * dtype.itemsize

    def array(self, buffer: Buffer, address: int) -> DeviceArray:
        """The array of this form at an address in some memory, whose alignment is as the form says."""
        made = _new(DeviceArray)
        made.buffer, made.address, made.form = buffer, address, self
        return made


def form_of(
    device: Device, shape: tuple[int, ...], dtype: np.dtype[Any], *, is_aligned: bool = True
) -> DeviceForm:
    """The form of such arrays."""
    key = device, shape, dtype, is_aligned
    form = _forms.get(key)
    return form or _forms.remember(key, DeviceForm(*key))


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
    form : its device, shape, dtype and alignment
    """

    __slots__ = ("__weakref__", "address", "buffer", "form")

    def __init__(
        self, buffer: Buffer, offset: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> None:
        self.buffer, self.address = buffer, buffer.address + offset
        aligned = self.address % ALIGNMENT == 0
        self.form = form_of(buffer.device, shape, dtype, is_aligned=aligned)

    @classmethod
    def empty(cls, device: Device, shape: tuple[int, ...], dtype: Any) -> DeviceArray:
        """A new array with unspecified elements."""
        form = form_of(device, shape, np.dtype(dtype))
        buffer = device.allocate(form.nbytes)
        return form.array(buffer, buffer.address)

    @classmethod
    def of_host(cls, device: Device, array: npt.NDArray[Any]) -> DeviceArray:
        """A copy of an array of the host."""
        buffer = device.received(np.ascontiguousarray(array))
        return form_of(device, array.shape, array.dtype).array(buffer, buffer.address)

    @property
    def device(self) -> Device:
        """The device that has it."""
        return self.form.device

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.form.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self.form.dtype

    @property
    def offset(self) -> int:
        """The position of the first element in the memory, in bytes."""
        return self.address - self.buffer.address

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.form.size

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.form.shape)

    @property
    def nbytes(self) -> int:
        """The size of the elements, in bytes."""
        return self.form.nbytes

    def part(self, first: int, shape: tuple[int, ...], dtype: Any = None) -> DeviceArray:
        """A view of consecutive elements, from the one at index `first` of the flat array on."""
        form = self.form
        address = self.address + first * form.dtype.itemsize
        kind = form.dtype if dtype is None else np.dtype(dtype)
        aligned = address % ALIGNMENT == 0
        return form_of(form.device, shape, kind, is_aligned=aligned).array(self.buffer, address)

    def reshaped(self, shape: tuple[int, ...]) -> DeviceArray:
        """A view with other axes and as many elements."""
        return self.part(0, shape)

    def copy(self, device: Device | None = None) -> DeviceArray:
        """A copy on a device, by default the same one."""
        made = DeviceArray.empty(device or self.device, self.shape, self.dtype)
        made.copy_from(self)
        return made

    def copy_from(self, source: DeviceArray) -> None:
        """Overwrite the elements by those of an array of this dtype and size on any device."""
        if not self.nbytes:
            return
        if source.device is self.device:
            self.device.copy_within(self.address, source.address, self.nbytes)
        else:
            self.device.copy_across(self.address, source.device, source.address, self.nbytes)

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


_forms: Interned[tuple[Device, tuple[int, ...], np.dtype[Any], bool], DeviceForm] = Interned()
