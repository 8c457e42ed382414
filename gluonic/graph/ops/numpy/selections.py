"""Selection of elements by conditions and indices, with NumPy's rules."""

from typing import Any

import numpy as np

from gluonic.graph.axes import axis_of
from gluonic.graph.derivation import BOOL, INT64
from gluonic.graph.errors import AttributeValueError, InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import broadcast_shapes, like, output_dtype
from gluonic.graph.view import NodeView, PartialShape, peek, put, title_of, written


def _one_of_two(n: NodeView) -> None:
    """Unify the dtypes of `x`, `y` and the output."""
    known = next((d for name in ("x", "y", "output") if (d := peek(n, name)) is not None), None)
    if known is not None:
        for name in ("x", "y", "output"):
            put(n, name, known)


@operator("_npi_where", dtype=_one_of_two)
def where(condition: Array, x: Array, y: Array) -> Any:
    """`x` where the condition is not 0, `y` elsewhere; all are broadcast together."""
    return np.where(condition, x, y)


@where.infer_shape
def _(n: Any) -> None:
    title = title_of(n)
    n.output = broadcast_shapes(broadcast_shapes(n.condition, n.x, title), n.y, title)


where.gradient(
    x=lambda F, n, g: F._reduce_like(F._npi_where(n.condition, g, F.zeros_like(g)), n.x),
    y=lambda F, n, g: F._reduce_like(F._npi_where(n.condition, F.zeros_like(g), g), n.y),
)


def _number_like(name: str) -> Any:
    def rule(n: Any) -> None:
        n.output = broadcast_shapes(n.condition, getattr(n, name), title_of(n))

    return rule


@operator("_npi_where_lscalar", shape=_number_like("x"), dtype=like("x"))
def where_number_first(condition: Array, x: Array, *, scalar: float = 0.0) -> Any:
    """`scalar` where the condition is not 0, `x` elsewhere."""
    return np.where(condition, np.float64(scalar).astype(x.dtype), x)


@operator("_npi_where_rscalar", shape=_number_like("y"), dtype=like("y"))
def where_number_last(condition: Array, y: Array, *, scalar: float = 0.0) -> Any:
    """`y` where the condition is not 0, `scalar` elsewhere."""
    return np.where(condition, y, np.float64(scalar).astype(y.dtype))


where_number_first.gradient(
    x=lambda F, n, g: F._reduce_like(F._npi_where_lscalar(n.condition, g), n.x)
)
where_number_last.gradient(
    y=lambda F, n, g: F._reduce_like(F._npi_where_rscalar(n.condition, g), n.y)
)


@operator("_npi_where_scalar2", shape=like("condition"), dtype=output_dtype("float32"))
def where_numbers(condition: Array, *, x: float = 0.0, y: float = 0.0) -> Any:
    """The number `x` where the condition is not 0, `y` elsewhere."""
    return np.where(condition, np.float32(x), np.float32(y))


where_numbers.gradient()


@operator("_npx_nonzero", "_npi_nonzero", dynamic=True, dtype=output_dtype(INT64))
def nonzero(x: Array) -> Any:
    """The indices of the elements that are not 0, one row each: shape (count, axes)."""
    return np.argwhere(x)


@nonzero.infer_shape
def _(n: Any) -> None:
    n.output = (None, len(n.x))


nonzero.gradient()

_UNIQUE = ("output", "index", "inverse", "counts")


def _unique_outputs(n: Any) -> list[str]:
    asked = (True, n.return_index, n.return_inverse, n.return_counts)
    return [name for name, is_asked in zip(_UNIQUE, asked, strict=True) if is_asked]


@operator("_npi_unique", outputs=_unique_outputs, dynamic=True)
def unique(
    data: Array,
    *,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> tuple[Array, ...]:
    """The sorted unique elements.

    Parameters
    ----------
    data : any array
    return_index : whether to return the index of the first occurrence of each unique element
    return_inverse : whether to return, for each element, the index of its unique element
    return_counts : whether to return the number of occurrences of each
    axis : compare slices along this axis; None compares elements

    Returns
    -------
    output, index, inverse, counts : those that were requested; all but the first are int64
    """
    find: Any = np.unique
    found = find(np.atleast_1d(data), return_index, return_inverse, return_counts, axis=axis)
    several = found if isinstance(found, tuple) else (found,)
    return several[0], *[each.reshape(-1) for each in several[1:]]


@unique.infer_shape
def _(n: Any) -> None:
    data: PartialShape = n.data
    if n.axis is None:
        n.output = (None,)
    else:
        axis = axis_of(n.axis, len(data), title_of(n))
        n.output = (*data[:axis], None, *data[axis + 1 :])
    for name in _unique_outputs(n)[1:]:
        put(n, name, (None,))


@unique.infer_dtype
def _(n: Any) -> None:
    like("data")(n)
    for name in _unique_outputs(n)[1:]:
        put(n, name, INT64)


unique.gradient()  # no gradient, as in MXNet


def _counted(n: Any) -> PartialShape:
    data: PartialShape = n.data
    if len(data) < 2 or len({extent for extent in data if extent is not None}) > 1:
        raise InferenceError(
            f"{title_of(n)}: {written(data)} must have two or more axes of equal length"
        )
    return (len(data), data[0])


@operator("_npi_diag_indices_from", dtype=output_dtype(INT64))
def diag_indices_from(data: Array) -> Any:
    """The indices of the main diagonal, one row per axis."""
    return np.stack(np.diag_indices_from(data))


@diag_indices_from.infer_shape
def _(n: Any) -> None:
    n.output = _counted(n)


diag_indices_from.gradient()


@operator("_npi_share_memory", dtype=output_dtype(BOOL))
def share_memory(a: Array, b: Array) -> Any:
    """Whether two arrays share memory."""
    return np.array(np.may_share_memory(a, b))


@share_memory.infer_shape
def _(n: Any) -> None:
    n.output = ()


share_memory.gradient()


@operator("_npi_boolean_mask_assign_scalar", dtype=like("data"), shape=like("data"))
def assign_number(data: Array, mask: Array, *, value: float, start_axis: int = 0) -> Any:
    """`data` with a number where the mask, over axes from `start_axis` on, is not 0."""
    result = data.copy()
    result[(slice(None),) * start_axis + (mask.astype(bool),)] = value
    return result


@operator(
    "_npi_boolean_mask_assign_tensor", dtype=like("data", "output", "value"), shape=like("data")
)
def assign_values(data: Array, mask: Array, value: Array, *, start_axis: int = 0) -> Any:
    """`data` with consecutive values where the mask, over axes from `start_axis` on, is not 0."""
    result = data.copy()
    result[(slice(None),) * start_axis + (mask.astype(bool),)] = value
    return result


assign_number.gradient(
    data=lambda F, n, g: F._npi_boolean_mask_assign_scalar(
        g, n.mask, value=0.0, start_axis=n.start_axis
    )
)


@operator("_npx_constraint_check", dtype=output_dtype(BOOL))
def constraint_check(input: Array, *, msg: str = "Constraint violated.") -> Any:
    """True if all elements are true; otherwise raise an error with the message `msg`."""
    if not np.all(input):
        raise AttributeValueError(msg)
    return np.array(True)


@constraint_check.infer_shape
def _(n: Any) -> None:
    n.output = ()


constraint_check.gradient()
