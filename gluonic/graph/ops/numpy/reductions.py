"""NumPy's reductions: over all axes they leave an array without axes."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.attributes import Axes, DType
from gluonic.graph.derivation import FLOAT32, INT64
from gluonic.graph.dtypes import is_floating
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import REGISTRY, Array, GradientRule, Operator, operator
from gluonic.graph.ops.reduce import REDUCTIONS
from gluonic.graph.rules import like
from gluonic.graph.view import PartialShape, title_of


def axes_to_reduce(axis: Axes, rank: int, title: str = "") -> tuple[int, ...]:
    """The axes of a reduction, in order; None means all, ``()`` none.

    >>> axes_to_reduce(-1, 3), axes_to_reduce(None, 2), axes_to_reduce((), 2)
    ((2,), (0, 1), ())
    """
    if axis is None or (rank == 0 and axis in (0, -1, (0,), (-1,))):
        return tuple(range(rank))
    given = axis if isinstance(axis, tuple) else (axis,)
    found = {a + rank if a < 0 else a for a in given}
    if len(found) < len(given) or not found <= set(range(rank)):
        raise InferenceError(f"{title}: axis={axis} must name different axes of {rank}")
    return tuple(sorted(found))


def shape_left(shape: PartialShape, axes: tuple[int, ...], keepdims: bool) -> PartialShape:
    """The shape after a reduction over `axes`."""
    if keepdims:
        return tuple(1 if i in axes else length for i, length in enumerate(shape))
    return tuple(length for i, length in enumerate(shape) if i not in axes)


def reduction(source: str, *, of_nothing: bool = True) -> Callable[[Any], None]:
    """The shape rule of reductions of an input, in both directions for the axes that remain.

    Parameters
    ----------
    source : the input
    of_nothing : whether an axis of length 0 can be reduced
    """

    def rule(n: Any) -> None:
        shape = getattr(n, source)
        axes = axes_to_reduce(n.axis, len(shape), title_of(n))
        if not of_nothing and 0 in [shape[axis] for axis in axes]:
            raise InferenceError(
                f"{title_of(n)}: needs at least one element along the reduced axes"
            )
        n.output = shape_left(shape, axes, n.keepdims)
        remaining = iter(n.output)
        if n.keepdims:
            known = tuple(None if i in axes else length for i, length in enumerate(n.output))
        else:
            known = tuple(None if i in axes else next(remaining) for i in range(len(shape)))
        setattr(n, source, known)

    return rule


def narrows(given: np.dtype[Any], wanted: np.dtype[Any]) -> bool:
    """Whether numbers are reduced in their own dtype, and the result is rounded.

    >>> narrows(np.dtype("float64"), np.dtype("float16")), narrows(np.dtype("int8"), np.dtype("float32"))
    (True, False)
    """
    return is_floating(given) and (not is_floating(wanted) or wanted.itemsize < given.itemsize)


class NumpyReduction(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    names : the operator's names
    base : the operator with the same reduction
    documentation : what it computes
    dtype : from the dtype of the input, that of the result and of its computation
    gradient : the gradient rule, with the operator's own names
    join : combines the result with `initial`
    """

    names: tuple[str, ...]
    base: str
    documentation: str
    dtype: Callable[[np.dtype[Any]], np.dtype[Any]]
    gradient: GradientRule
    join: Callable[[Any, float], Any] | None = None


def _kernel_of(base: str) -> Callable[[Array, tuple[int, ...], bool], Array]:
    return next(row.kernel for row in REDUCTIONS if base in row.names)


def _spread(F: Any, n: Any, value: Any) -> Any:
    """Repeat an array of the output's shape along the reduced axes, in the input's dtype."""
    if n.axis == ():
        return F._cast_like(value, n.a)
    return F._cast_like(F._backward_sum(value, n.a, axis=n.axis, keepdims=n.keepdims), n.a)


def _mean_back(F: Any, n: Any, g: Any) -> Any:
    if n.axis == ():
        return F._cast_like(g, n.a)
    wide = F._cast_like(g, n.a)  # a mean that was rounded to an integer has a gradient too
    return F._backward_mean(wide, n.a, axis=n.axis, keepdims=n.keepdims)


def _where_extreme(F: Any, n: Any, g: Any) -> Any:
    return _spread(F, n, g) * F._equal(n.a, _spread(F, n, n.output))


def _prod_back(F: Any, n: Any, g: Any) -> Any:
    others = F.ones_like(n.a) if n.axis == () else F._backward_prod(n.a, axis=n.axis)
    scaled = others if n.initial is None else others * n.initial
    return _spread(F, n, g) * scaled


def _counted(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of sums: int64 for booleans, otherwise unchanged."""
    return INT64 if dtype.kind == "b" else dtype


def _averaged(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype if is_floating(dtype) else FLOAT32


NUMPY_REDUCTIONS = [
    NumpyReduction(
        ("_np_sum",), "sum", "The sum", _counted, _spread, lambda total, initial: total + initial
    ),
    NumpyReduction(
        ("_np_prod", "_np_product"),
        "prod",
        "The product",
        _counted,
        _prod_back,
        lambda total, initial: total * initial,
    ),
    NumpyReduction(("_npi_mean",), "mean", "The arithmetic mean", _averaged, _mean_back),
    NumpyReduction(
        ("_np_max", "_np_amax"),
        "max",
        "The largest element",
        lambda dtype: dtype,
        _where_extreme,
        np.maximum,
    ),
    NumpyReduction(
        ("_np_min", "_np_amin"),
        "min",
        "The smallest element",
        lambda dtype: dtype,
        _where_extreme,
        np.minimum,
    ),
]
_DOCUMENTATION = """{what} over the given axes.

Parameters
----------
a : any array
axis : an axis or several, negative ones counted from the end; None means all
dtype : the dtype of the result and of its computation
keepdims : whether reduced axes remain, with length one
initial : the initial value

Returns
-------
output : an array without axes if all are reduced
"""
_EXTREMES = ("max", "min")


def _register(row: NumpyReduction) -> Operator:
    reduce, base = _kernel_of(row.base), REGISTRY[row.base]

    def compute(a: Array, axis: Axes, dtype: Any, keepdims: bool, initial: float | None) -> Any:
        wanted = row.dtype(a.dtype) if dtype is None else dtype
        if not narrows(a.dtype, wanted):
            a = a.astype(wanted, copy=False)
        found = reduce(a, axes_to_reduce(axis, a.ndim, row.names[0]), keepdims)
        return found if initial is None or row.join is None else row.join(found, initial)

    def kernel(
        a: Array,
        *,
        axis: Axes = None,
        dtype: DType | None = None,
        keepdims: bool = False,
        initial: float | None = None,
    ) -> Any:
        return compute(a, axis, dtype, keepdims, initial)

    def extreme(
        a: Array, *, axis: Axes = None, keepdims: bool = False, initial: float | None = None
    ) -> Any:
        return compute(a, axis, None, keepdims, initial)

    def dtype_rule(n: Any) -> None:
        wanted = None if row.base in _EXTREMES else n.dtype
        if wanted is not None:
            n.output = wanted
        elif row.base in _EXTREMES:
            like("a")(n)
        else:
            n.output = row.dtype(n.a)

    chosen: Callable[..., Any] = extreme if row.base in _EXTREMES else kernel
    chosen.__doc__ = _DOCUMENTATION.format(what=row.documentation)
    op = operator(
        *row.names,
        base=base,
        casts=True,
        reduction=row.base,
        shape=reduction("a", of_nothing=row.base not in _EXTREMES),
        dtype=dtype_rule,
    )(chosen)
    op.gradient(a=row.gradient)
    return op


for _row in NUMPY_REDUCTIONS:
    _register(_row)
