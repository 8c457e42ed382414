"""Exchange of arrays with NumPy, DLPack and pickles."""

from contextlib import suppress
from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.dtypes import CODE_OF
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.memory import allocating, converted, copied
from gluonic.graph.versions import mark_escaped
from gluonic.ndarray.array import NDArray, method
from gluonic.ndarray.context import Context

# ------------------------------------------------------------------------------------------- NumPy


@method("__array__")
def array(self: NDArray, dtype: Any = None, copy: bool | None = None) -> Array:
    """Return the elements as a NumPy array: shared, unless a copy is requested or needed."""
    if dtype is not None and np.dtype(dtype) != self.elements.dtype:
        if copy is False:
            raise ValueError(
                f"an NDArray of {self.elements.dtype} is no {np.dtype(dtype)} without copying"
            )
        return converted(self.elements, dtype, "a copy for NumPy")
    return copied(self.elements, "a copy for NumPy") if copy else mark_escaped(self.elements)


def _interface(self: NDArray) -> Any:
    """NumPy's array interface; memory is shared."""
    if self.elements.dtype.kind == "V":
        raise AttributeError("bfloat16 has no number in NumPy's array interface")
    return mark_escaped(self.elements).__array_interface__


NDArray.__array_interface__ = property(_interface)  # type: ignore[assignment, method-assign]


def from_numpy(
    ndarray: Array, zero_copy: bool = True, array_cls: type[NDArray] = NDArray
) -> NDArray:
    """Return an NDArray with the elements of a NumPy array.

    Parameters
    ----------
    ndarray : the NumPy array
    zero_copy : share its memory; the NumPy array must be contiguous, and becomes read-only
    array_cls : the class of the result
    """
    if ndarray.dtype not in CODE_OF:
        raise ValueError(f"from_numpy: {ndarray.dtype} is not supported; it has {_dtypes()}")
    if not zero_copy:
        with allocating("a copy of NumPy's array"):
            return array_cls(np.array(ndarray, order="C"))
    if not ndarray.flags.c_contiguous:
        raise ValueError("Only c-contiguous arrays are supported for zero-copy")
    with suppress(ValueError):  # memory that was read-only before remains so
        ndarray.flags.writeable = True
    shared = ndarray.view(np.ndarray)
    ndarray.flags.writeable = False
    return array_cls(mark_escaped(shared))


def _dtypes() -> str:
    return ", ".join(dtype.name for dtype in CODE_OF)


# ------------------------------------------------------------------------------------------ DLPack


class _Memory:
    """The memory of an array, described by NumPy's array interface, without the read-only flag."""

    def __init__(self, array: Array) -> None:
        address, _ = array.__array_interface__["data"]
        self.owner = array
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}


class _Source:
    """An exported array of another library, or its capsule, for NumPy to read.

    Attributes
    ----------
    is_unmarked : whether the capsule has no read-only flag; NumPy then treats its memory as read-only
    """

    def __init__(self, given: Any) -> None:
        self._given, self.is_unmarked = given, False

    def __dlpack__(self, **keywords: Any) -> Any:
        given = self._given
        capsule = given.__dlpack__(**keywords) if hasattr(given, "__dlpack__") else given
        self.is_unmarked = '"dltensor"' in repr(capsule)
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        if hasattr(self._given, "__dlpack_device__"):
            return self._given.__dlpack_device__()  # type: ignore[no-any-return]
        return 1, 0  # the CPU


@method("__dlpack__")
def dlpack(self: NDArray, **keywords: Any) -> Any:
    """Export the elements, shared, as a DLPack capsule."""
    return mark_escaped(self.elements).__dlpack__(**keywords)


@method("__dlpack_device__")
def dlpack_device(self: NDArray) -> tuple[int, int]:
    """Return the device by DLPack's numbers; it is the CPU."""
    return self.elements.__dlpack_device__()


def to_dlpack_for_read(data: NDArray) -> Any:
    """Return a DLPack capsule that shares memory with an array.

    Parameters
    ----------
    data : the array
    """
    return data.__dlpack__()


to_dlpack_for_write = to_dlpack_for_read
NDArray.to_dlpack_for_read = to_dlpack_for_read  # type: ignore[method-assign]
NDArray.to_dlpack_for_write = to_dlpack_for_write  # type: ignore[method-assign]


def from_dlpack(dlpack: Any) -> NDArray:
    """Return an NDArray that shares memory with an array of another library.

    Parameters
    ----------
    dlpack : an array with `__dlpack__`, or a DLPack capsule (which can be read once)
    """
    from gluonic.ndarray import dlpack_structures

    if dlpack_structures.device_kind(dlpack) == dlpack_structures.CUDA:
        from gluonic.ndarray.device import borrowed

        return borrowed(dlpack)
    source = _Source(dlpack)
    try:
        array = np.from_dlpack(source)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise MXNetError(
            describe(f"cannot read {dlpack!r}: {error}", where="from_dlpack")
        ) from error
    if array.dtype not in CODE_OF:
        raise MXNetError(f"from_dlpack: {array.dtype} is not supported; it has {_dtypes()}")
    return NDArray(mark_escaped(np.asarray(_Memory(array)) if source.is_unmarked else array))


# ----------------------------------------------------------------------------------------- pickles


def _rebuild(data: Array, context: Context | None) -> NDArray:
    return NDArray(data, context)


def _rebuild_of_numpy(data: Array, context: Context | None) -> NDArray:
    return NDArray(data, context).as_np_ndarray()  # type: ignore[no-any-return]


@method("__reduce__")
def reduce(self: NDArray) -> Any:
    """Return the data with which pickle rebuilds the array, without its gradient."""
    return _rebuild_of_numpy if self.of_numpy else _rebuild, (self.elements, self.stated_context)
