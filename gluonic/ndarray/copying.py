"""Copies of arrays: to another array, context or dtype."""

from typing import Any

import numpy as np

from gluonic.graph import REGISTRY
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.memory import copied
from gluonic.ndarray.array import NDArray, method
from gluonic.ndarray.context import Context, usable
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.placing import device_of, is_pinned, on_devices, page_locked
from gluonic.ndarray.recording import check_writable
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.arrays import value_of
from gluonic.ndarray.storage.dispatch import assign


def _copied(array: NDArray, context: Context | None) -> NDArray:
    """A copy (a recorded one, while recording)."""
    if STATE.recording and array.tape_entry is not None:
        made = invoke(REGISTRY["_copy"].apply({}), (array,))[0]
    elif is_pinned(context):
        made = array.derived_class(page_locked(array.elements, context))
    else:
        made = array.derived_class(copied(array.elements))
    made.stated_context = context
    return made


def _copied_to(array: NDArray, context: Context) -> NDArray:
    """A copy on a context (a recorded one, while recording)."""
    if device_of(context) is not None:
        return on_devices().copied_to(array, context)  # type: ignore[no-any-return]
    return _copied(array, context)


def assign_array(target: NDArray, source: NDArray) -> None:
    """Write the elements of an array, of any context and storage kind, into another one; unrecorded."""
    if target.on_device or source.on_device:
        on_devices().copy_into(source, target)
    else:
        assign(target, value_of(source))


@method("copy")
def copy(self: NDArray) -> NDArray:
    """Return a copy."""
    return _copied(self, self.stated_context)


@method("copyto")
def copyto(self: NDArray, other: Any) -> NDArray:
    """Copy the elements to another array, or to a new one on another context.

    Parameters
    ----------
    other : an array of the same shape (elements are converted to its dtype), or a context

    Returns
    -------
    NDArray
        the array copied to
    """
    if isinstance(other, Context):
        return _copied_to(self, usable(other))
    if not isinstance(other, NDArray):
        raise TypeError(f"copyto does not support type {type(other)}: an NDArray or a Context")
    if other is self:
        return other
    if other.on_device:
        return on_devices().copy_between(self, other)  # type: ignore[no-any-return]
    if other.shape != self.shape:
        raise MXNetError(
            describe(
                f"an array of shape {self.shape} does not fit into {other.shape}", where="copyto"
            )
        )
    check_writable(other)
    assign(other, self.elements)
    if STATE.recording and self.tape_entry is not None:
        other.tape_entry = astype(self, other.dtype).tape_entry
    return other


@method("astype")
def astype(self: NDArray, dtype: Any, copy: bool = True) -> NDArray:
    """Return the elements as another dtype.

    Parameters
    ----------
    dtype : the dtype, by name, NumPy type or number
    copy : whether to copy even if the array already has the dtype
    """
    wanted = as_dtype("float32" if dtype is None else dtype)
    if not copy and wanted == np.dtype(self.dtype):
        return self
    return invoke(REGISTRY["Cast"].apply({"dtype": wanted}), (self,))[0]


@method("as_in_context")
def as_in_context(self: NDArray, context: Context) -> NDArray:
    """Return the array itself if it is on that context, else a copy there."""
    if self.context == context:
        return self
    return _copied_to(self, usable(context))


@method("as_in_ctx")
def as_in_ctx(self: NDArray, ctx: Context) -> NDArray:
    """Return the array itself if it is on that context, else a copy there."""
    return as_in_context(self, ctx)


@method("__copy__")
def shallow_copy(self: NDArray) -> NDArray:
    """Return a copy, off the tape."""
    return self.derived_class(copied(self.elements), self.stated_context)


@method("__deepcopy__")
def deep_copy(self: NDArray, memo: dict[int, Any]) -> NDArray:
    """Return a copy, off the tape."""
    return self.derived_class(copied(self.elements), self.stated_context)
