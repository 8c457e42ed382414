"""Methods of sparse arrays: copies, casts, parts, assignment and arithmetic."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from gluonic.graph import REGISTRY
from gluonic.graph.arithmetic import is_number
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import MXNetError, NotThereError, describe, warn
from gluonic.graph.storage.values import DEFAULT, KINDS, Csr, RowSparse, StorageError
from gluonic.ndarray.array import GRADIENT_REQUESTS, GradientRequestError, NDArray, method
from gluonic.ndarray.context import Context
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.recording import check_writable
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.arithmetic import FUNCTIONS
from gluonic.ndarray.storage.arrays import (
    BaseSparseNDArray,
    CSRNDArray,
    NotForSparseError,
    RowSparseNDArray,
    host_context,
    made,
    value_of,
    zeros_of,
)
from gluonic.ndarray.storage.dispatch import assign, leaf_of

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _method(kind: type[BaseSparseNDArray], name: str) -> Callable[[_Function], _Function]:
    def add(function: _Function) -> _Function:
        function.__name__, function.__qualname__ = name, f"{kind.__name__}.{name}"
        setattr(kind, name, function)
        return function

    return add


def call(name: str, *arrays: NDArray, **attributes: Any) -> NDArray:
    """Call an operator with one output."""
    return invoke(REGISTRY[name].apply(attributes), arrays)[0]


# ------------------------------------------------------------------------------- copies and kinds


@method("tostype")
def tostype(self: NDArray, stype: str) -> NDArray:
    """Return a copy in another storage type.

    Parameters
    ----------
    stype : ``"default"`` (dense), ``"csr"`` (matrices alone) or ``"row_sparse"``

    Raises
    ------
    ValueError
        from csr to row_sparse or back, and for an array that is no matrix to csr
    """
    if stype in KINDS and self.stype not in (stype, DEFAULT) and stype != DEFAULT:
        raise StorageError(f"cast_storage from {self.stype} to {stype} is not supported")
    made = call("cast_storage", self, stype=stype)
    made.stated_context = self.stated_context
    return made


def _copied(array: BaseSparseNDArray, context: Context | None) -> NDArray:
    """A copy (a recorded one, while recording)."""
    if STATE.recording and array.tape_entry is not None:
        copy = call("_copy", array)
    else:
        copy = made(array.stored.mapped(np.copy))
    copy.stated_context = context
    return copy


@_method(BaseSparseNDArray, "copy")
def copy(self: BaseSparseNDArray) -> NDArray:
    """Return a copy."""
    return _copied(self, self.stated_context)


@_method(BaseSparseNDArray, "as_in_context")
def as_in_context(self: BaseSparseNDArray, context: Context) -> NDArray:
    """Return the array itself if it is on that context, else a copy there."""
    return self if self.context == context else _copied(self, host_context(context))


@_method(BaseSparseNDArray, "as_in_ctx")
def as_in_ctx(self: BaseSparseNDArray, ctx: Context) -> NDArray:
    """Return the array itself if it is on that context, else a copy there."""
    return as_in_context(self, ctx)


def copy_between(source: NDArray, target: NDArray) -> NDArray:
    """Copy an array into another one, of which at least one is sparse.

    Raises
    ------
    TypeError
        from csr to row_sparse or back
    MXNetError
        if the shapes differ
    """
    if DEFAULT not in (source.stype, target.stype) and source.stype != target.stype:
        raise TypeError(f"copyto does not support destination NDArray stype {target.stype}")
    if source.shape != target.shape:
        raise MXNetError(
            describe(
                f"an array of shape {source.shape} does not fit into {target.shape}", where="copyto"
            )
        )
    check_writable(target)
    assign(target, value_of(source))
    if STATE.recording and source.tape_entry is not None:
        target.tape_entry = call("_copy", source).tape_entry
    return target


@_method(BaseSparseNDArray, "copyto")
def copyto(self: BaseSparseNDArray, other: Any) -> Any:
    """Copy the elements to another array, or to a new one on another context.

    Parameters
    ----------
    other : an array of the same shape, dense or of the same storage type, or a context

    Returns
    -------
    NDArray
        the array copied to; False if it is the array itself
    """
    if isinstance(other, Context):
        return _copied(self, host_context(other))
    if not isinstance(other, NDArray):
        raise TypeError(f"copyto does not support type {type(other)}: an NDArray or a Context")
    if other is self:
        warn("You are attempting to copy an array to itself")
        return False
    return copy_between(self, other)


@_method(BaseSparseNDArray, "astype")
def astype(self: BaseSparseNDArray, dtype: Any, copy: bool = True) -> NDArray:
    """Return the elements as another dtype, in the same storage type.

    Parameters
    ----------
    dtype : the dtype, by name, NumPy type or number
    copy : whether to copy even where the array already has the dtype
    """
    wanted = as_dtype("float32" if dtype is None else dtype)
    if not copy and wanted == self.stored.dtype:
        return self
    target = zeros_of(self.stype, self.shape, wanted, self.stated_context)
    return copy_between(self, target)


# ------------------------------------------------------------------------------- parts


@_method(CSRNDArray, "__getitem__")
def _csr_item(self: CSRNDArray, key: Any) -> NDArray:
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        rows = self.shape[0]
        if not -rows <= key < rows:
            raise MXNetError(
                describe(f"index {key} is out of range for {rows} rows", where="CSRNDArray")
            )
        begin = int(key) % rows
        return call("slice", self, begin=(begin,), end=(begin + 1,))
    if isinstance(key, slice):
        if key.step is not None:
            raise ValueError("CSRNDArray only supports continuous slicing on axis 0")
        if key.start is None and key.stop is None:
            return self
        return call("slice", self, begin=(key.start or 0,), end=(key.stop or self.shape[0],))
    if isinstance(key, tuple):
        raise ValueError("Multi-dimension indexing is not supported")
    raise ValueError(f"Undefined behaviour for {key}")


@_method(RowSparseNDArray, "__getitem__")
def _row_sparse_item(self: RowSparseNDArray, key: Any) -> NDArray:
    if isinstance(key, int):
        raise NotForSparseError(
            "__getitem__ with int key is not implemented for RowSparseNDArray; x.retain(rows)"
        )
    if isinstance(key, slice):
        if key != slice(None):
            raise NotForSparseError("RowSparseNDArray only supports [:] for __getitem__")
        return self
    if isinstance(key, tuple):
        raise ValueError("Multi-dimension indexing is not supported")
    raise ValueError(f"Undefined behaviour for {key}")


@_method(RowSparseNDArray, "retain")
def retain(self: RowSparseNDArray, *arguments: Any, **keywords: Any) -> NDArray:
    """Keep some rows; see `gluonic.nd.sparse.retain`."""
    indices = [*arguments, *keywords.values()]
    return call("_sparse_retain", self, *indices[-1:])


# ------------------------------------------------------------------------------- assignment


class PartialAssignmentError(NotThereError, ValueError, TypeError):
    """A sparse array can only be assigned as a whole, by ``x[:] = value``."""


@_method(BaseSparseNDArray, "__setitem__")
def setitem(self: BaseSparseNDArray, key: Any, value: Any) -> None:
    """Replace all elements: ``x[:] = value``."""
    title = type(self).__name__
    if not self.writable:
        raise ValueError(f"Failed to assign to a readonly {title}")
    if not isinstance(key, slice):
        raise PartialAssignmentError(f"{title} only supports [:] for assignment")
    if key != slice(None):
        raise PartialAssignmentError(f"Assignment with slice for {title} is not implemented yet.")
    if isinstance(value, NDArray):
        if value is not self:
            copy_between(value, self)
    elif is_number(value):
        _fill(self, value)
    elif isinstance(value, (np.ndarray, np.generic)):
        warn(f"Assigning non-NDArray object to {title} is not efficient")
        copy_between(NDArray(np.array(value, self.dtype)), self)
    else:
        raise TypeError(f"type {type(value)} not supported")


def _fill(array: BaseSparseNDArray, number: Any) -> None:
    """Set all elements: of a row_sparse array all rows are stored then."""
    if not isinstance(array, RowSparseNDArray):
        raise PartialAssignmentError(
            "Assigning numeric types to CSRNDArray is not implemented yet."
        )
    check_writable(array)
    rows = np.arange(array.shape[0])
    array.stored = RowSparse(np.full(array.shape, number, array.dtype), rows, array.shape)


# ------------------------------------------------------------------------------- arithmetic


def _add_arithmetic() -> None:
    for name, function in FUNCTIONS.items():
        _method(BaseSparseNDArray, f"__{name}__")(_forward(function))
        _method(BaseSparseNDArray, f"__i{name}__")(_in_place(function))
    _method(BaseSparseNDArray, "__itruediv__")(
        _in_place(lambda x, y: x / y)  # as in MXNet, where arrays of one shape do not broadcast
    )


def _forward(function: Callable[[Any, Any], NDArray]) -> Callable[[Any, Any], NDArray]:
    return lambda self, other: function(self, other)


def _in_place(function: Callable[[Any, Any], NDArray]) -> Callable[[Any, Any], NDArray]:
    def apply(self: BaseSparseNDArray, other: Any) -> NDArray:
        copy_between(function(self, other), self)
        return self

    return apply


_add_arithmetic()


# ------------------------------------------------------------------------------- gradients


@method("_attach_stored")
def attach_stored(self: NDArray, grad_req: str, stype: str) -> None:
    """Mark the array as a variable with a gradient buffer of a storage type."""
    if grad_req not in GRADIENT_REQUESTS:
        raise GradientRequestError(
            f"grad_req={grad_req!r} must be one of {', '.join(GRADIENT_REQUESTS)}"
        )
    if stype not in KINDS:
        raise StorageError(f"stype={stype!r} must be one of {', '.join(KINDS)}")
    self.tape_entry = (
        leaf_of(zeros_of(stype, self.shape, self.dtype, self.stated_context), grad_req),
        0,
    )


@_method(BaseSparseNDArray, "attach_grad")
def attach_grad(self: BaseSparseNDArray, grad_req: str = "write", stype: str | None = None) -> None:
    """Mark the array as a variable, with a gradient buffer of its own storage type or of another."""
    attach_stored(self, grad_req, stype or self.stype)


# ------------------------------------------------------------------------------- pickles


def _rebuild(kind: type[BaseSparseNDArray], parts: tuple[Any, ...], context: Any) -> NDArray:
    value = Csr(*parts) if kind is CSRNDArray else RowSparse(*parts)
    return made(value, context)


@_method(BaseSparseNDArray, "__reduce__")
def reduce(self: BaseSparseNDArray) -> Any:
    """Return what pickle needs to rebuild the array; its gradient is left out."""
    value = self.stored
    index = (value.indices, value.indptr) if isinstance(value, Csr) else (value.indices,)
    return _rebuild, (type(self), (value.data, *index, value.shape), self.stated_context)
