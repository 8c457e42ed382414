"""Reshaping, transposing, joining and splitting arrays."""

from typing import Any

import numpy as np

from gluonic.numpy_functions.creation import require_c
from gluonic.numpy_functions.table import Operators, add, function


def as_list(made: Any) -> list[Any]:
    """The outputs of an operator, or of a symbol, one by one."""
    if isinstance(made, (list, tuple)):
        return list(made)
    count = getattr(made, "num_outputs", 1)
    return [made[i] for i in range(count)] if count > 1 else [made]


def axes_of(axis: Any) -> tuple[int, ...]:
    """One axis, or several."""
    return tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)


@function()
def reshape(F: Operators, a: Any, newshape: Any, order: str = "C", out: Any = None) -> Any:
    """Return the elements under another shape; one extent may be -1 and follows from the others."""
    return F._np_reshape(a, newshape=newshape, order=order, out=out)


@function()
def ravel(F: Operators, x: Any, order: str = "C") -> Any:
    """Return the elements flattened to one axis."""
    require_c("ravel", order)
    if not F.is_array(x):
        raise TypeError(f"type {type(x)} not supported")
    return F._np_reshape(x, newshape=(-1,))


@function()
def transpose(F: Operators, a: Any, axes: Any = None) -> Any:
    """Return `a` with its axes in another order, by default the reverse one."""
    return F._np_transpose(a, axes=()) if axes is None else F._np_transpose(a, axes=axes)


@function()
def swapaxes(F: Operators, a: Any, axis1: int, axis2: int) -> Any:
    """Return `a` with two axes exchanged."""
    return F._npi_swapaxes(a, dim1=axis1, dim2=axis2)


@function()
def moveaxis(F: Operators, a: Any, source: Any, destination: Any) -> Any:
    """Return `a` with axes moved to other positions; the others keep their order."""
    return F._np_moveaxis(a, source=axes_of(source), destination=axes_of(destination))


@function()
def expand_dims(F: Operators, a: Any, axis: int) -> Any:
    """Return `a` with an axis of length one before `axis`."""
    return F._npi_expand_dims(a, axis=axis)


@function()
def squeeze(F: Operators, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Return `a` without axes of length one: all of them, or those named."""
    return F._np_squeeze(a, axis=axis, out=out)


@function()
def flip(F: Operators, m: Any, axis: Any = None, out: Any = None) -> Any:
    """Return `m` with elements in reverse order along an axis, several, or all."""
    if axis == ():
        return F._np_copy(m, out=out)
    return F._npi_flip(m, axis=axis, out=out)


@function()
def flipud(F: Operators, m: Any) -> Any:
    """Return `m` with rows in reverse order."""
    return F._npi_flip(m, axis=0)


@function()
def fliplr(F: Operators, m: Any) -> Any:
    """Return `m` with columns in reverse order."""
    return F._npi_flip(m, axis=1)


@function()
def rot90(F: Operators, m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Return `m` rotated by 90 degrees `k` times in the plane of two axes."""
    return F._npi_rot90(m, k=k, axes=axes)


@function()
def roll(F: Operators, a: Any, shift: Any, axis: Any = None) -> Any:
    """Return `a` with elements shifted along axes; those that leave at one end reenter at the other."""
    return F._np_roll(a, shift=shift, axis=axis)


@function()
def broadcast_to(F: Operators, array: Any, shape: Any) -> Any:
    """Return `array` broadcast to a shape."""
    if not F.is_array(array):
        array = F.array_of(array, "float32")
    return F._npi_broadcast_to(array, shape=shape)


def _at_least(rank: int) -> None:
    def made(F: Operators, *arys: Any) -> Any:
        found = getattr(F, f"_np_atleast_{rank}d")(*arys)
        return found if F.is_symbolic or len(arys) == 1 else as_list(found)

    made.__doc__ = f"Return arrays with at least {rank} axes: one, or a list of several."
    add(f"atleast_{rank}d", made)


for _rank in (1, 2, 3):
    _at_least(_rank)


@function()
def diag(F: Operators, array: Any, k: int = 0) -> Any:
    """Return a diagonal of a matrix, or the matrix with a vector on a diagonal."""
    return F._np_diag(array, k=k)


@function()
def diagflat(F: Operators, array: Any, k: int = 0) -> Any:
    """Return a matrix of zeros with all elements on a diagonal."""
    return F._np_diagflat(array, k=k)


@function()
def diagonal(F: Operators, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonals of the matrices that two axes span, as the last axis."""
    return F._np_diagonal(a, offset=offset, axis1=axis1, axis2=axis2)


@function()
def trace(
    F: Operators, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, out: Any = None
) -> Any:
    """Return the sum along diagonals."""
    return F._np_trace(a, offset=offset, axis1=axis1, axis2=axis2, out=out)


# -- joining ------------------------------------------------------------------------------------


@function()
def concatenate(F: Operators, seq: Any, axis: int | None = 0, out: Any = None) -> Any:
    """Return arrays joined along an axis; without one, all their elements."""
    return F._npi_concatenate(*seq, axis=axis, out=out)


@function()
def append(F: Operators, arr: Any, values: Any, axis: int | None = None) -> Any:
    """Return `arr` with `values` appended along an axis; without one, the elements of both."""
    return F._npi_concatenate(arr, values, axis=axis)


@function()
def stack(F: Operators, arrays: Any, axis: int = 0, out: Any = None) -> Any:
    """Return arrays of one shape joined along a new axis."""
    return F._npi_stack(*arrays, axis=axis, out=out)


def _joined(name: str, operator: str, manner: str, *names: str) -> None:
    def made(F: Operators, arrays: Any, out: Any = None) -> Any:
        return getattr(F, operator)(*arrays, out=out)

    made.__doc__ = f"Return arrays joined {manner}."
    for each in (name, *names):
        add(each, made)


_joined("vstack", "_npi_vstack", "as rows, or along their first axis")
_joined("row_stack", "_npi_vstack", "as rows, or along their first axis")
_joined("hstack", "_npi_hstack", "along their second axis, vectors along their only one")
_joined("dstack", "_npi_dstack", "along their third axis")


@function()
def column_stack(F: Operators, tup: Any) -> Any:
    """Return arrays joined as columns, or along their second axis."""
    return F._npi_column_stack(*tup)


# -- cutting ------------------------------------------------------------------------------------


def _split_points(indices_or_sections: Any, name: str) -> dict[str, Any]:
    """The attributes for the positions to split at."""
    if isinstance(indices_or_sections, (int, np.integer)):
        if indices_or_sections <= 0:
            raise ValueError(f"np.{name}: the number of sections must be larger than 0")
        return {"indices": (), "sections": int(indices_or_sections)}
    if isinstance(indices_or_sections, (list, tuple, set)):
        return {"indices": (0, *indices_or_sections), "sections": 0}
    raise ValueError(f"np.{name}: indices_or_sections must be a number or a tuple of indices")


def _require_even(F: Operators, ary: Any, sections: Any, axis: int, name: str) -> None:
    if F.is_symbolic or not isinstance(sections, (int, np.integer)) or sections <= 0:
        return
    if ary.shape[axis] % sections:
        raise ValueError(f"np.{name}: array split does not result in an equal division")


@function()
def split(F: Operators, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Return the parts of an array.

    Parameters
    ----------
    ary : any array
    indices_or_sections : the number of equal parts; or the indices where parts after the first begin
    axis : the axis to split along
    """
    split_points = _split_points(indices_or_sections, "split")
    _require_even(F, ary, indices_or_sections, axis, "split")
    return _parts(F, ary, axis, split_points)


def _parts(F: Operators, ary: Any, axis: int, split_points: dict[str, Any]) -> Any:
    found = F._npi_split(ary, axis=axis, squeeze_axis=False, **split_points)
    return as_list(found)


@function()
def array_split(F: Operators, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Return the parts of an array, which need not be equal; see `split`."""
    return _parts(F, ary, axis, _split_points(indices_or_sections, "array_split"))


@function()
def hsplit(F: Operators, ary: Any, indices_or_sections: Any) -> Any:
    """Return the parts of an array along its second axis, of a vector along its only one; see `split`."""
    split_points = _split_points(indices_or_sections, "hsplit")
    if not F.is_symbolic:
        if ary.ndim < 1:
            raise ValueError("np.hsplit: works on arrays of 1 or more dimensions")
        _require_even(F, ary, indices_or_sections, min(ary.ndim - 1, 1), "hsplit")
        return as_list(F._npi_hsplit(ary, **split_points))
    return F._npi_hsplit(ary, **split_points)


def _split_along(name: str, axis: int) -> None:
    def made(F: Operators, ary: Any, indices_or_sections: Any) -> Any:
        if not F.is_symbolic and ary.ndim <= max(axis, 1):
            raise ValueError(f"np.{name}: works on arrays of {max(axis, 1) + 1} or more dimensions")
        split_points = _split_points(indices_or_sections, name)
        _require_even(F, ary, indices_or_sections, axis, name)
        return _parts(F, ary, axis, split_points)

    made.__doc__ = f"Return the parts of an array along axis {axis}; see `split`."
    add(name, made)


_split_along("vsplit", 0)
_split_along("dsplit", 2)

# -- copies -------------------------------------------------------------------------------------


@function()
def tile(F: Operators, A: Any, reps: Any) -> Any:
    """Return copies of `A` side by side, `reps` along each axis."""
    return F._npi_tile(A, reps=reps) if F.is_array(A) else np.tile(A, reps)


@function()
def repeat(F: Operators, a: Any, repeats: int, axis: int | None = None) -> Any:
    """Return `a` with each element repeated, along an axis or of the flattened array."""
    return F._np_repeat(a, repeats=repeats, axis=axis)


@function()
def resize(F: Operators, a: Any, new_shape: Any) -> Any:
    """Return the elements, repeated as needed, under another shape."""
    return F._npi_resize(a, new_shape=axes_of(new_shape))


@function()
def shape(F: Operators, a: Any) -> Any:
    """Return the extents of an array."""
    return a.shape if F.is_array(a) else np.shape(a)


_PADDINGS: dict[str, tuple[str, ...]] = {
    "constant": ("constant_values",),
    "edge": (),
    "linear_ramp": ("end_values",),
    "maximum": ("stat_length",),
    "mean": ("stat_length",),
    "median": ("stat_length",),
    "minimum": ("stat_length",),
    "reflect": ("reflect_type",),
    "symmetric": ("reflect_type",),
    "wrap": (),
}
_LACKING = ("linear_ramp", "mean", "median", "wrap")


@function()
def pad(F: Operators, x: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """Return a padded array.

    Parameters
    ----------
    x : any array
    pad_width : width before and after, for each axis: pairs, one pair for all, or one number
    mode : "constant", "edge", "reflect", "symmetric", "maximum" or "minimum"
    kwargs : ``constant_values=`` (one number), ``reflect_type="even"``
    """
    if not isinstance(mode, str) or mode not in _PADDINGS:
        raise ValueError(f"np.pad: mode={mode!r} is not supported")
    if mode in _LACKING or callable(mode):
        raise NotImplementedError(f"np.pad: mode={mode!r} is not there")
    unknown = set(kwargs) - set(_PADDINGS[mode])
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    value = kwargs.get("constant_values", 0)
    if kwargs.get("stat_length") is not None or kwargs.get("reflect_type", "even") != "even":
        raise NotImplementedError("np.pad: stat_length= and reflect_type='odd' are not there")
    if isinstance(value, (list, tuple)):
        raise NotImplementedError("np.pad: constant_values= is one number")
    widths = _pairs(F, x, pad_width)
    return F._npi_pad(x, pad_width=widths, mode=mode, constant_value=value)


def _pairs(F: Operators, x: Any, pad_width: Any) -> tuple[tuple[int, int], ...]:
    """The widths of the padding, a pair per axis."""
    if F.is_symbolic:
        return tuple((int(before), int(behind)) for before, behind in pad_width)
    return tuple(map(tuple, np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)).tolist()))
