"""The classes of arrays on devices. `methods` and `indexing` add methods that need operators."""

from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar, NoReturn

import numpy as np

from gluonic.device import Device, DeviceArray
from gluonic.graph import Array
from gluonic.graph.errors import CallError, NotThereError, describe
from gluonic.ndarray.array import NDArray, NoElementsError, methods_of
from gluonic.ndarray.context import Context
from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.numpy.printing import array_text
from gluonic.ndarray.tape import TapeEntry

_new = object.__new__


class NotOnHostError(NotThereError, NoElementsError):
    """The elements of an array on a device were asked for as memory of the host."""

    def __init__(self, array: "DeviceNDArray") -> None:
        # not that of MXNetError, which looks for the user's line: some eager calls raise this once
        Exception.__init__(self)
        self.location, self.blocks, self.facts = None, [], []
        self.about = array.context, array.shape, array.device_array.dtype

    def __str__(self) -> str:
        context, shape, dtype = self.about
        return str(
            describe(
                f"the array is on {context}, but its elements are needed on the host",
                facts=[f"the array: shape {shape}, dtype {dtype}"],
                hint="x.asnumpy(), or x.as_in_context(mx.cpu())",
            )
        )


class DeviceNDArray(NDArray):
    """An `NDArray` on a device. To users it is an NDArray with another context.

    Attributes
    ----------
    device_array : the elements (in the slot of `elements`, which arrays on devices do not have)
    """

    __slots__ = ()

    on_device: ClassVar[bool] = True
    device_array: DeviceArray

    def __init__(self, handle: Any, ctx: Context | None = None, writable: bool = True) -> None:
        raise NotThereError("an array on a GPU is made with mx.nd.array(value, ctx=mx.gpu())")

    @property
    def elements(self) -> NoReturn:  # type: ignore[override]
        """Raise an error: the elements are not on the host."""
        raise NotOnHostError(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.device_array.form.shape

    @property
    def dtype(self) -> Any:
        """The element type, as a NumPy type such as ``numpy.float32``."""
        return self.device_array.form.dtype.type

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.device_array.form.size

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.device_array.form.shape)

    @property
    def writable(self) -> bool:
        """Whether elements can be assigned: they always can."""
        return True

    def wait_to_read(self) -> None:
        """Wait until the elements, and all other work queued on the device, have been computed."""
        self.device_array.device.synchronize()

    wait_to_write = wait_to_read

    def asnumpy(self) -> Array:
        """Return a copy as a NumPy array; waits for the device."""
        return self.device_array.to_host()

    def host_elements(self) -> Array:
        """A copy of the elements on the host."""
        return self.device_array.to_host()

    def on_host(self) -> NDArray:
        """A copy on the host, off the tape."""
        return NDArray(self.device_array.to_host())

    def asscalar(self) -> Any:
        """Return the only element as a NumPy scalar; see `NDArray.asscalar`."""
        if self.size != 1:
            raise CallError(
                describe(
                    f"The current array is not a scalar: its shape is {self.shape}",
                    hint="x.asnumpy(), or x.mean().asscalar()",
                )
            )
        return self.on_host().asscalar()

    def _of_class(self, kind: type[NDArray]) -> Any:
        """The array as one of another class, sharing elements and tape entry."""
        array = made(self.device_array, kind, self.tape_entry)
        array.last_reader = self.last_reader
        return array

    def detach(self) -> NDArray:
        """Return the same elements off the tape; memory is shared."""
        return made(self.device_array, type(self))

    def of_program(self) -> NDArray:
        """Another array of `mx.nd` with the same elements and entry on the tape.

        So it can be seen that a gradient's memory is in use, as long as the program keeps this array.
        """
        return made(self.device_array, NDArray, self.tape_entry)

    def __repr__(self) -> str:
        lengths = "x".join(map(str, self.shape))
        return f"\n{self.asnumpy()}\n<NDArray {lengths} @{self.context}>"

    def _repr_html_(self) -> str:
        from gluonic.drawing.shown import array_html

        lengths = "×".join(map(str, self.shape)) or "scalar"
        title = f"{type(self).__name__} {lengths} {self.device_array.dtype.name} @{self.context}"
        return array_html(self.asnumpy(), title)

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of an NDArray without axes")
        return self.shape[0]

    def __iter__(self) -> Iterator[NDArray]:
        return (self[index] for index in range(len(self)))

    def __bool__(self) -> bool:
        if self.size > 1:
            raise CallError(
                describe(
                    "The truth value of an NDArray with multiple elements is ambiguous",
                    facts=[f"its shape is {self.shape}"],
                    hint="(x > 0).sum() or x.asnumpy().any(), .all(); nd.where to choose by element",
                )
            )
        return bool(self.asnumpy().any())

    def _only(self, kind: str) -> Any:
        if self.size != 1:
            raise TypeError(f"only an NDArray of one element makes a {kind}, not {self.shape}")
        return self.asnumpy().item()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        raise NotOnHostError(self)

    @property
    def __array_interface__(self) -> NoReturn:
        raise NotOnHostError(self)

    def __reduce__(self) -> Any:
        return _rebuild, (self.asnumpy(), self.context, self.of_numpy)


DeviceNDArray.device_array = NDArray.__dict__["elements"]
DeviceNDArray.derived_class = DeviceNDArray
method = methods_of(DeviceNDArray)


class DeviceNumpyArray(DeviceNDArray, ndarray):  # type: ignore[misc] # methods take NumPy's parameters
    """An array of `mx.np` on a device."""

    __slots__ = ()

    of_numpy: ClassVar[bool] = True

    @property
    def dtype(self) -> Any:
        """The element type, a `numpy.dtype`."""
        return self.device_array.dtype

    def item(self, *args: Any) -> Any:
        """Return an element as a Python number; see `ndarray.item`."""
        return self._copy().item(*args)

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers; for an array without axes, a number."""
        return self.asnumpy().tolist()

    def _copy(self) -> ndarray:
        """A copy on the host."""
        return ndarray(self.asnumpy())

    def __bool__(self) -> bool:
        return bool(self._copy())

    def __index__(self) -> int:
        return self._copy().__index__()

    def __repr__(self) -> str:
        return f"{array_text(self.asnumpy())[:-1]}, ctx={self.context})"

    def __str__(self) -> str:
        return f"{self.asnumpy()} @{self.context}"

    def __format__(self, spec: str) -> str:
        return format(self._copy(), spec) if not self.ndim or spec else str(self)

    __iter__ = DeviceNDArray.__iter__
    __hash__ = ndarray.__hash__


DeviceNumpyArray.derived_class = DeviceNumpyArray
for _kind, _name in ((DeviceNDArray, "NDArray"), (DeviceNumpyArray, "ndarray")):
    _kind.__name__ = _kind.__qualname__ = _name  # what programs print and compare


@cache
def context_of(device: Device) -> Context:
    """The context of a device."""
    return Context("gpu", device.ordinal)


def class_on_device(kind: type[NDArray]) -> type[DeviceNDArray]:
    """The class on devices that corresponds to one of the host."""
    return DeviceNumpyArray if kind.of_numpy else DeviceNDArray


def made(
    array: DeviceArray, kind: type[NDArray] = NDArray, entry: TapeEntry | None = None
) -> DeviceNDArray:
    """An NDArray around an array of a device, of the class that corresponds to one of the host."""
    found: DeviceNDArray = _new(class_on_device(kind))
    found.device_array, found.tape_entry, found.last_reader = array, entry, None
    found.stated_context = context_of(array.device)
    return found


def of_host(elements: Array, device: Device, kind: type[NDArray] = NDArray) -> DeviceNDArray:
    """A copy on a device of an array of the host."""
    return made(DeviceArray.of_host(device, np.asarray(elements, order="C")), kind)


def _rebuild(elements: Array, context: Context, of_numpy: bool) -> NDArray:
    """An array from its pickle."""
    from gluonic.ndarray.context import usable
    from gluonic.ndarray.placing import placed

    return placed(elements, usable(context), ndarray if of_numpy else NDArray)
