"""Differences of consecutive elements."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.all_gradients import as_list
from gluonic.graph.attributes import Count
from gluonic.graph.axes import axis_of, product
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import like, same
from gluonic.graph.view import PartialShape, title_of


@operator("_npi_diff", dtype=like("a"))
def diff(a: Array, *, n: Count = 1, axis: int = -1) -> Any:
    """The differences of consecutive elements along an axis, taken `n` times."""
    return np.diff(a, n, axis) if a.dtype.kind != "b" else np.diff(a.astype(np.int8), n, axis)


@diff.infer_shape
def _(n: Any) -> None:
    a: PartialShape = n.a
    axis = axis_of(n.axis, len(a), title_of(n))
    extent = a[axis]
    n.output = (*a[:axis], None if extent is None else max(extent - n.n, 0), *a[axis + 1 :])


@adjoint(diff, source="a")
def _(grad: Array, a: Array, *, n: int, axis: int) -> Any:
    """The gradient through `_npi_diff`."""
    found = np.moveaxis(grad, axis, -1)
    if grad.size == 0:
        return np.zeros_like(a)
    for _ in range(n):
        edge = np.zeros((*found.shape[:-1], 1), found.dtype)
        found = -np.diff(np.concatenate([edge, found, edge], -1))
    return np.moveaxis(found, -1, axis)


def _edge_inputs(n: Any) -> tuple[str | None, str | None]:
    """The inputs that are prepended and appended; only given arrays take an input, in order."""
    begin = "input2" if n.to_begin_arr_given else None
    behind = "input3" if begin else "input2"
    return begin, behind if n.to_end_arr_given else None


@operator(
    "_npi_ediff1d",
    dtype=same,
    absent=lambda n: ("input2", "input3")[n.to_begin_arr_given + n.to_end_arr_given :],
)
def ediff1d(
    input1: Array,
    input2: Array | None = None,
    input3: Array | None = None,
    *,
    to_begin_arr_given: bool = False,
    to_end_arr_given: bool = False,
    to_begin_scalar: float | None = None,
    to_end_scalar: float | None = None,
) -> Any:
    """The differences of consecutive elements of the flattened array, with elements prepended and appended.

    Parameters
    ----------
    input1 : any array
    input2, input3 : the arrays to prepend and to append; without the first, `input2` is appended
    to_begin_arr_given, to_end_arr_given : whether there is an array to prepend, and to append
    to_begin_scalar, to_end_scalar : numbers to prepend and to append instead
    """
    arrays = [array for array in (input2, input3) if array is not None]
    begin = arrays.pop(0) if to_begin_arr_given else to_begin_scalar
    end = arrays.pop(0) if to_end_arr_given else to_end_scalar
    parts = [begin, np.diff(input1.reshape(-1)), end]
    flat = [np.asarray(part).astype(input1.dtype).reshape(-1) for part in parts if part is not None]
    return np.concatenate(flat)


@ediff1d.infer_shape
def _(n: Any) -> None:
    sizes = [product(n.input1)]
    sizes[0] = None if sizes[0] is None else max(sizes[0] - 1, 0)
    for name, number in zip(_edge_inputs(n), (n.to_begin_scalar, n.to_end_scalar), strict=True):
        if name is not None:
            sizes.append(product(getattr(n, name)))
        elif number is not None:
            sizes.append(1)
    n.output = (None if None in sizes else sum(size for size in sizes if size is not None),)


def parts_of_ediff1d(F: Any, n: Any) -> tuple[list[str], list[Any]]:
    """The names of the inputs that `_npi_ediff1d` joins, "" for numbers, and the vectors, in hybrid code."""
    flat = F._np_reshape(n.input1, newshape=(-1,))
    names, parts = ["input1"], [F._npi_diff(flat, n=1, axis=-1)]
    edges = zip(_edge_inputs(n), (n.to_begin_scalar, n.to_end_scalar), (0, 2), strict=True)
    for name, number, position in edges:
        if name is not None:
            names.insert(position, name)
            parts.insert(position, F._np_reshape(getattr(n, name), newshape=(-1,)))
        elif number is not None:
            names.insert(position, "")
            made = F._full(shape=(1,), value=number, dtype="float64")
            parts.insert(position, F._cast_like(made, n.input1))
    return names, parts


@ediff1d.all_gradients
def _(F: Any, n: Any, heads: Sequence[Any]) -> dict[str, Any]:
    names, parts = parts_of_ediff1d(F, n)
    pieces = as_list(F._backward_Concat(heads[0], *parts, dim=0)) if len(parts) > 1 else heads
    found = {}
    for name, piece in zip(names, pieces, strict=True):
        if name == "input1":
            flat = F._np_reshape(n.input1, newshape=(-1,))
            piece = F._backward_npi_diff(piece, flat, n=1, axis=-1)
        if name:
            found[name] = F.reshape_like(piece, getattr(n, name))
    return found
