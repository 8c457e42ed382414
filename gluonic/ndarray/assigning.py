"""Writing into parts of arrays: values are converted and checked, and compiled nets notified."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.dtypes import is_bfloat16
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.memory import allocating
from gluonic.graph.versions import mark_modified
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.copying import copyto
from gluonic.ndarray.keys import Key, is_plain, positions_of, slices_of
from gluonic.ndarray.nested_lists import shared_array_of
from gluonic.ndarray.recording import check_writable
from gluonic.ndarray.shaping import broadcast_to, with_shape
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.arrays import dense_of
from gluonic.support.suppress_fp_warnings import QUIET, quietly


class AssignmentError(MXNetError, ValueError):
    """The shape of the assigned values does not fit the part that they are assigned to."""


def check_not_read_only(array: NDArray) -> None:
    """Refuse to write into an array that is read-only."""
    if not array.writable:
        raise ValueError("the NDArray is read-only: its elements cannot be assigned")


def write(self: NDArray, index: Key, value: Any, *, basic: bool) -> None:
    """Write to the part that a parsed key selects."""
    if STATE.recording:
        if isinstance(value, NDArray) and basic and _is_everything(self, index):
            _overwrite_recorded(self, value, self.elements[index].shape)
            return
        check_writable(self, (self, value) if isinstance(value, NDArray) else (self,))
    with allocating("the values that are to be written"):
        shape = self.elements[index].shape if basic else positions_of(self, index).shape
        quietly(
            self.elements.__setitem__, index, _fitted(values_of(value, self.elements.dtype), shape)
        )
    mark_modified(self.elements)


def write_quickly(data: Array, key: Any, value: Any) -> bool:
    """Write a number or an NDArray to the part that a plain key selects; False if it takes the slow path."""
    if type(value) is NDArray or (
        isinstance(value, NDArray) and value.of_numpy and not value.on_device
    ):
        value = value.elements
    elif type(value) not in (int, float) or data.dtype.kind != "f":
        return False
    if not (is_plain(key) or (type(key) is slice and data.ndim)):
        return False  # `x[:] = value` of an array without axes takes the slow path
    try:
        QUIET.run(data.__setitem__, key, value)
    except (IndexError, ValueError, TypeError, OverflowError, RuntimeError):
        return False  # the slow path raises the error
    return True


def _is_everything(self: NDArray, key: Key) -> bool:
    """Whether a basic key selects all elements in order."""
    spans = zip(slices_of(self, key), self.shape, strict=True)
    return all(range(*s.indices(n)) == range(n) for s, n in spans)


def _overwrite_recorded(self: NDArray, value: NDArray, shape: tuple[int, ...]) -> None:
    """Replace a whole array, in the shape that its key gives it, by a value; recorded."""
    if value is self:
        return
    if value.shape != shape:
        lacking = max(value.ndim - len(shape), 0)
        if value.shape[:lacking] == (1,) * lacking:
            value = with_shape(value, value.shape[lacking:])
        value = broadcast_to(value, shape)
    copyto(with_shape(value, self.shape) if shape != self.shape else value, self)


def values_of(value: Any, dtype: np.dtype[Any]) -> Array:
    """The assigned values as an array of the right dtype; integers out of range wrap around."""
    if isinstance(value, NDArray):
        return value.asnumpy() if value.on_device else dense_of(value)
    try:
        found = shared_array_of(value)
        is_number = found.dtype.kind in "biufOU" or is_bfloat16(found.dtype)
        if is_number or found.size == 0:  # None becomes NaN, and text is parsed
            return quietly(found.astype, dtype)  # type: ignore[no-any-return]
    except (ValueError, TypeError):
        pass
    raise TypeError(
        describe(
            f"elements of an NDArray cannot be assigned {value!r} of type {type(value).__name__}",
            hint="a number, an NDArray, a NumPy array or a list of numbers",
        )
    )


def _fitted(values: Array, shape: Sequence[int]) -> Array:
    """Values without surplus leading axes of length one, checked to fit."""
    spare = max(values.ndim - len(shape), 0)
    if values.shape[:spare] == (1,) * spare:
        values = values.reshape(values.shape[spare:])
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise AssignmentError(
            describe(
                f"values of shape {values.shape} cannot be assigned to a part of shape {tuple(shape)}",
                where="x[key] = value",
            )
        ) from None
