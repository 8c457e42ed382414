"""Elements selected by conditions, indices and order."""

from typing import Any

import numpy as np

from gluonic.graph.arithmetic import is_number
from gluonic.graph.errors import NotThereError
from gluonic.numpy_functions.table import Operators, function


@function()
def where(F: Operators, condition: Any, x: Any = None, y: Any = None) -> Any:
    """Return `x` where the condition is not 0, `y` elsewhere; without them, the indices where it is not 0.

    Parameters
    ----------
    condition : array, or a number
    x, y : arrays of one dtype, or numbers; all are broadcast together
    """
    if x is None and y is None:
        return nonzero(F, condition)
    if x is None or y is None:
        raise ValueError("np.where: either both or neither of x and y should be given")
    if is_number(condition):
        chosen = x if condition else y
        other = y if condition else x
        if is_number(chosen):
            return chosen if is_number(other) else F._npi_full_like(other, fill_value=float(chosen))
        return chosen
    if is_number(x) and is_number(y):
        return F._npi_where_scalar2(condition, x=float(x), y=float(y))
    if is_number(x):
        return F._npi_where_lscalar(condition, y, scalar=float(x))
    if is_number(y):
        return F._npi_where_rscalar(condition, x, scalar=float(y))
    return F._npi_where(condition, x, y)


@function()
def nonzero(F: Operators, a: Any) -> Any:
    """Return the indices of elements that are not 0, an array of int64 for each axis."""
    if F.is_symbolic:
        raise NotThereError("np.nonzero: not for symbols; npx.nonzero returns the indices as rows")
    found = F._npx_nonzero(a)
    return tuple(F._npi_take(found, _constant_index(F, axis), axis=1) for axis in range(a.ndim))


def _constant_index(F: Operators, axis: int) -> Any:
    return F._npi_full(shape=(), value=axis, dtype="int64")


@function("npx", "nonzero")
def npx_nonzero(F: Operators, a: Any) -> Any:
    """Return the indices of elements that are not 0, a row each, as int64."""
    return F._npx_nonzero(a)


@function()
def unique(
    F: Operators,
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """Return the unique elements in ascending order.

    Parameters
    ----------
    ar : any array
    return_index, return_inverse, return_counts : also the first index of each, the inverse indices, the counts
    axis : compare slices along this axis; none means elements
    """
    found = F._npi_unique(
        ar,
        return_index=return_index,
        return_inverse=return_inverse,
        return_counts=return_counts,
        axis=axis,
    )
    return tuple(found) if isinstance(found, list) else found


@function()
def argmax(F: Operators, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """Return the indices of the largest elements along an axis, or of the flattened array, as int64."""
    return F._npi_argmax(a, axis=axis, keepdims=False, out=out)


@function()
def argmin(F: Operators, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """Return the indices of the smallest elements along an axis, or of the flattened array, as int64."""
    return F._npi_argmin(a, axis=axis, keepdims=False, out=out)


@function()
def argsort(
    F: Operators, a: Any, axis: int | None = -1, kind: Any = None, order: Any = None
) -> Any:
    """Return the indices that sort the elements along an axis, as int64."""
    if order is not None:
        raise NotImplementedError("np.argsort: arrays have no fields to order by")
    return F._npi_argsort(a, axis=axis, is_ascend=True, dtype="int64")


@function()
def sort(F: Operators, a: Any, axis: int | None = -1, kind: Any = None, order: Any = None) -> Any:
    """Return the elements in ascending order along an axis, or all of them."""
    if order is not None:
        raise NotImplementedError("np.sort: arrays have no fields to order by")
    return F._npi_sort(a, axis=axis, is_ascend=True)


@function()
def clip(F: Operators, a: Any, a_min: Any, a_max: Any, out: Any = None) -> Any:
    """Return the elements clipped to ``[a_min, a_max]``; one bound may be None."""
    if a_min is None and a_max is None:
        raise ValueError("np.clip: array_clip: must set either max or min")
    low = -np.inf if a_min is None else float(a_min)
    high = np.inf if a_max is None else float(a_max)
    if is_number(a):
        return np.clip(a, low, high)
    return F._npi_clip(a, a_min=low, a_max=high, out=out)


@function()
def take(
    F: Operators,
    a: Any,
    indices: Any,
    axis: int | None = None,
    mode: str = "raise",
    out: Any = None,
) -> Any:
    """Return the elements at indices along an axis, or of the flattened array.

    Parameters
    ----------
    a : any array
    indices : the indices
    axis : the axis; none means the flattened array
    mode : out of bounds, "clip" takes the first or last, "wrap" wraps around, "raise" is an error
    out : the array that receives the result
    """
    if mode not in ("raise", "clip", "wrap"):
        raise NotImplementedError(f"np.take: mode={mode!r} is not there")
    if axis is None:
        a, axis = F._np_reshape(a, newshape=(-1,)), 0
    return F._npi_take(a, indices, axis=axis, mode=mode, out=out)


@function()
def unravel_index(F: Operators, indices: Any, shape: Any, order: str = "C") -> Any:
    """Return the indices in a shape for flat indices: an array for each axis."""
    if order != "C":
        raise NotThereError("np.unravel_index: in the order 'C'")
    shape = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    found = F._unravel_index(indices, shape=shape)
    return tuple(F._npi_take(found, _constant_index(F, axis), axis=0) for axis in range(len(shape)))


@function()
def diag_indices_from(F: Operators, arr: Any) -> Any:
    """Return the indices of the main diagonal, an array of int64 for each axis."""
    found = F._npi_diag_indices_from(arr)
    if F.is_symbolic:
        return found
    return tuple(F._npi_take(found, _constant_index(F, axis), axis=0) for axis in range(arr.ndim))


@function("np", "may_share_memory")
def shares_memory(F: Operators, a: Any, b: Any, max_work: Any = None) -> Any:
    """Return whether two arrays share memory."""
    if F.is_symbolic:
        raise NotThereError("np.shares_memory: symbols have no memory")
    return bool(F.memory_is_shared(a, b))


def _where_to(obj: Any, F: Operators) -> dict[str, Any]:
    """The indices that a number or a slice selects."""
    if isinstance(obj, (int, np.integer)) and not isinstance(obj, bool):
        return {"int_ind": int(obj)}
    if isinstance(obj, slice):
        start = 0 if obj.start is None and obj.stop is None and obj.step is None else obj.start
        return {"start": start, "stop": obj.stop, "step": obj.step}
    raise TypeError(f"type {type(obj)} not supported: indices are a number, a slice or an array")


def _as_indices(F: Operators, obj: Any) -> Any:
    return F.array_of(list(obj), "int64") if isinstance(obj, (list, tuple)) else obj


@function()
def delete(F: Operators, arr: Any, obj: Any, axis: int | None = None) -> Any:
    """Return `arr` without the elements at indices: a number, a slice, or an array of numbers."""
    if not F.is_array(arr):
        raise TypeError(f"'arr' can not support type {type(arr)}")
    obj = _as_indices(F, obj)
    if F.is_array(obj):
        return F._npi_delete(arr, obj, axis=axis)
    return F._npi_delete(arr, axis=axis, **_where_to(obj, F))


@function()
def insert(F: Operators, arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """Return `arr` with elements inserted before indices.

    Parameters
    ----------
    arr : any array
    obj : the indices: a number, a slice, or an array of numbers
    values : the values to insert: an array, or a number
    axis : the axis; none means the flattened array
    """
    if not F.is_array(arr):
        raise TypeError(f"'arr' can not support type {type(arr)}")
    number = float(values) if is_number(values) else None
    if isinstance(values, (list, tuple)):
        values = F.array_of(values, "float32")
    obj = _as_indices(F, obj)
    if F.is_array(obj):
        if number is not None:
            return F._npi_insert_tensor(arr, obj=obj, val=number, axis=axis)
        return F._npi_insert_tensor(arr, values, obj, axis=axis)
    selection = _where_to(obj, F)
    put_in = F._npi_insert_scalar if "int_ind" in selection else F._npi_insert_slice
    if number is not None:
        return put_in(arr, val=number, axis=axis, **selection)
    return put_in(arr, values, axis=axis, **selection)
