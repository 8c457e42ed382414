"""Polynomials; insertion, deletion and repetition of elements."""

import inspect
from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import Shape
from gluonic.graph.axes import axis_of, product
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import like, same
from gluonic.graph.view import NodeView, PartialShape, title_of


@operator("_npi_resize", dtype=like("a"))
def resize(a: Array, *, new_shape: Shape) -> Any:
    """Return an array of another shape filled with repeated copies of `a`; zeros if `a` is empty.

    Parameters
    ----------
    a : any array
    new_shape : the shape of the result
    """
    return np.resize(a, new_shape)


@resize.infer_shape
def _(n: Any) -> None:
    n.output = n.new_shape


@adjoint(resize, source="a")
def _(grad: Array, a: Array, *, new_shape: tuple[int, ...]) -> Any:
    """The gradient through `_npi_resize`."""
    if a.size == 0:
        return np.zeros_like(a)
    rounds = np.zeros((-(-grad.size // a.size), a.size), grad.dtype)
    rounds.reshape(-1)[: grad.size] = grad.reshape(-1)
    return rounds.sum(0).reshape(a.shape)


def _powers(p: Array, x: Array) -> Array:
    return np.vander(x.reshape(-1), len(p))


@operator("_npi_polyval", dtype=same)
def polyval(p: Array, x: Array) -> Any:
    """The values of a polynomial.

    Parameters
    ----------
    p : coefficients, that of the highest power first; one axis
    x : the points of evaluation
    """
    return np.polyval(p, x)


@polyval.infer_shape
def _(n: NodeView) -> None:
    if len(n.p) != 1:
        raise InferenceError(f"{title_of(n)}: the coefficients must have one axis")
    n.output = n.x


@operator("_backward_npi_polyval_p", shape=like("p"), dtype=like("p"))
def coefficients_back(grad: Array, p: Array, x: Array) -> Any:
    """The gradient of the coefficients through `_npi_polyval`."""
    return grad.reshape(-1) @ _powers(p, x)


@operator("_backward_npi_polyval_x", shape=like("x"), dtype=like("x"))
def points_back(grad: Array, p: Array, x: Array) -> Any:
    """The gradient of the points through `_npi_polyval`."""
    return grad * np.polyval(np.polyder(p), x)


polyval.gradient(
    p=lambda F, n, g: F._backward_npi_polyval_p(g, n.p, n.x),
    x=lambda F, n, g: F._backward_npi_polyval_x(g, n.p, n.x),
)


def _along(n: Any, shape: PartialShape) -> tuple[PartialShape, int]:
    """The shape, flattened if no axis is named, and the axis."""
    if n.axis is None:
        return (product(shape),), 0
    return shape, axis_of(n.axis, len(shape), title_of(n))


def _with_more_or_fewer(n: Any) -> None:
    """The shape rule of insertion and deletion along an axis."""
    shape, axis = _along(n, n.arr)
    n.output = (*shape[:axis], None, *shape[axis + 1 :])


def _has_position(n: Any) -> bool:
    """Whether attributes name the elements to delete."""
    return any(value is not None for value in (n.int_ind, n.start, n.stop, n.step))


@operator(
    "_npi_delete",
    dynamic=True,
    shape=_with_more_or_fewer,
    dtype=like("arr"),
    absent=lambda n: ("obj",) if _has_position(n) else (),
)
def delete(
    arr: Array,
    obj: Array | None = None,
    *,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
) -> Any:
    """Delete slices along an axis.

    Parameters
    ----------
    arr : any array
    obj : the indices, if no attribute gives them; negative ones and those beyond the end are ignored
    start, stop, step : a range of indices
    int_ind : one index
    axis : the axis; None means the flattened array
    """
    if obj is None:
        return np.delete(arr, slice(start, stop, step) if int_ind is None else int_ind, axis)
    extent = arr.size if axis is None else arr.shape[axis]
    return np.delete(arr, obj[(obj >= 0) & (obj < extent)].astype(np.int64), axis)


def _put_in(
    arr: Array,
    values: Array | None = None,
    obj: Array | None = None,
    *,
    val: float | None = None,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
) -> Any:
    named = slice(start, stop, step) if int_ind is None else int_ind
    positions = named if obj is None else obj.astype(np.int64)
    given: tuple[Any, ...] = positions, val if values is None else values, axis
    return np.insert(arr, *given)


def _insert(name: str, what: str, *, has_indices: bool) -> None:
    """Register an operator with the indices in the input `obj`, or in attributes."""

    def kernel(*inputs: Any, **settings: Any) -> Any:
        return _put_in(*inputs, **settings)

    parameters = inspect.signature(_put_in).parameters.values()
    kernel.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [p for p in parameters if has_indices or p.name != "obj"]
    )
    kernel.__doc__ = f"""Insert elements before {what} along an axis.

    Parameters
    ----------
    arr : any array
    values : the elements, broadcast to the indices; absent with `val`
    obj : the indices
    val : a number to insert at each index
    start, stop, step, int_ind : the indices as a range, or one index
    axis : the axis; None means the flattened array
    """
    operator(
        name,
        dynamic=True,
        dtype=like("arr"),
        absent=lambda n: () if n.val is None else ("values",),
        shape=_with_more_or_fewer,
    )(kernel)


_insert("_npi_insert_scalar", "one index", has_indices=False)
_insert("_npi_insert_slice", "a range of indices", has_indices=False)
_insert("_npi_insert_tensor", "given indices", has_indices=True)
