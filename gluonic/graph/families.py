"""Families of operators that share rules: element-wise, pairs with broadcasting, reductions."""

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.attributes import Axes
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import REGISTRY, Array, GradientRule, Operator, Rule, operator
from gluonic.graph.rules import broadcast, same
from gluonic.graph.scalar_math import M
from gluonic.graph.view import NodeView, PartialShape, settings_of, slots_of, title_of

Expression = Callable[..., Any]
_FLOAT32 = np.dtype(np.float32)


def elementwise(
    name: str, *aliases: str, shape: Rule = same, dtype: Rule = same, **options: Any
) -> Callable[[Expression], Operator]:
    """Register an operator by one scalar expression over `m`, read by NumPy and by LLVM.

    The decorated function takes `m`, then the inputs; keyword-only parameters are attributes. It
    must use only `m`'s functions and Python's arithmetic and comparisons, and may branch on
    attributes alone.
    """

    def register(expression: Expression) -> Operator:
        op = scalar_operator(name, expression, aliases=aliases, shape=shape, dtype=dtype, **options)
        REGISTRY.add(op)
        return op

    return register


def scalar_operator(
    name: str, expression: Expression, *, shape: Rule = same, dtype: Rule = same, **options: Any
) -> Operator:
    """The operator of a scalar expression, as for `elementwise`, without registering it."""
    kernel: Any = functools.partial(expression, M)
    _, *parameters = inspect.signature(expression).parameters.values()
    kernel.__signature__ = inspect.Signature(parameters)
    kernel.__doc__, kernel.__name__ = expression.__doc__, expression.__name__
    kernel.__module__ = expression.__module__
    return Operator(name, kernel, scalar=expression, shape=shape, dtype=dtype, **options)


def documented(expression: Any, name: str, documentation: str) -> Expression:
    """A copy of a table's expression with its own name and documentation."""
    copy = types.FunctionType(
        expression.__code__,
        expression.__globals__,
        name,
        expression.__defaults__,
        expression.__closure__,
    )
    copy.__kwdefaults__, copy.__annotations__ = (
        expression.__kwdefaults__,
        expression.__annotations__,
    )
    copy.__doc__, copy.__module__ = documentation, expression.__module__
    return copy


def wide(data: Array) -> Array:
    """An array in the dtype to accumulate in: integers as float64, float16 as float32."""
    if data.dtype == _FLOAT32:
        return data
    kind = np.float64 if data.dtype.kind != "f" else np.result_type(data.dtype, np.float32)
    return data.astype(kind, copy=False)


def numeric(n: NodeView) -> None:
    """The dtype rule: all inputs and outputs have one dtype other than bool."""
    same(n)
    if any(value is not None and value.kind == "b" for value in slots_of(n).values()):
        raise InferenceError(
            f"{title_of(n)}: there is no arithmetic on bool; cast(data, dtype='float32') first"
        )


class _Stretched:
    """A node whose `lhs` and `rhs` are broadcast, for rules that expect equal shapes."""

    def __init__(self, namespace: Any, n: NodeView) -> None:
        self._namespace, self._n = namespace, n

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._n, name)
        if name in ("lhs", "rhs"):
            value = self._namespace.broadcast_like(value, self._n.output)
            setattr(self, name, value)
        return value


def reduced_to(target: str, rule: GradientRule) -> GradientRule:
    """The gradient `rule`, summed over the axes along which `target` was repeated."""

    def reduced(F: Any, n: NodeView, g: Any) -> Any:
        stretched: Any = _Stretched(F, n)
        return F._reduce_like(rule(F, stretched, g), getattr(n, target))

    return reduced


def broadcasting_rules(**rules: GradientRule) -> dict[str, GradientRule]:
    """Gradient rules for a broadcasting operator from those of its element-wise twin."""
    return {target: reduced_to(target, rule) for target, rule in rules.items()}


def reduced_axes(axis: Axes, rank: int, exclude: bool = False, title: str = "") -> tuple[int, ...]:
    """The axes of a reduction, in order; None or ``()`` means all.

    >>> reduced_axes(-1, 3), reduced_axes((0, 1), 3, exclude=True), reduced_axes(None, 2)
    ((2,), (2,), (0, 1))
    """
    found = _axes_in_order(axis, rank, exclude)
    if found is None:
        raise InferenceError(f"{title}: axis={axis} must name different axes of {rank}")
    return found


@functools.lru_cache
def _axes_in_order(axis: Axes, rank: int, exclude: bool) -> tuple[int, ...] | None:
    """The result of `reduced_axes`; None if there is none."""
    if axis is None or axis == ():
        return tuple(range(rank))
    given = axis if isinstance(axis, tuple) else (axis,)
    found = {a + rank if a < 0 else a for a in given}
    if len(found) < len(given) or not found <= set(range(rank)):
        return None
    return tuple(a for a in range(rank) if (a in found) != exclude)


def reduced_shape(shape: PartialShape, axes: tuple[int, ...], keepdims: bool) -> PartialShape:
    """The shape after a reduction over `axes`; ``(1,)`` if no axes are left."""
    if keepdims:
        return tuple(1 if i in axes else length for i, length in enumerate(shape))
    return tuple(length for i, length in enumerate(shape) if i not in axes) or (1,)


def reduction_shape(n: NodeView) -> None:
    """The shape rule of reductions, in both directions for the axes that remain."""
    axes = reduced_axes(n.axis, len(n.data), settings_of(n).get("exclude", False), title_of(n))
    n.output = reduced_shape(n.data, axes, n.keepdims)
    if len(axes) < len(n.data):
        remaining = iter(n.output)
        rank = len(n.data)
        if n.keepdims:
            n.data = tuple(None if i in axes else length for i, length in enumerate(n.output))
        else:
            n.data = tuple(None if i in axes else next(remaining) for i in range(rank))


def index_of_extreme(name: str, kind: str, module: str, *, shape: Rule, dtype: Rule) -> None:
    """Register the operator that finds the largest or the smallest element.

    Parameters
    ----------
    name : ends with the name of the function of NumPy
    kind : the dtype of indices, for its documentation
    module : the caller's name: compilation looks there for the operator's entry
    """
    find = getattr(np, name[-len("argmax") :])

    def kernel(data: Array, *, axis: int | None = None, keepdims: bool = False) -> Any:
        return find(data, axis=axis, keepdims=keepdims)

    kernel.__doc__ = f"""The index of the {"largest" if find is np.argmax else "smallest"} element.

    If there are several, it is the index of the first.

    Parameters
    ----------
    data : any array
    axis : the axis to search; None means the flattened array
    keepdims : whether the searched axis remains, with length one

    Returns
    -------
    output : indices, {kind}
    """
    kernel.__module__ = module
    operator(name, shape=shape, dtype=dtype)(kernel).gradient()


__all__ = [
    "broadcast",
    "broadcasting_rules",
    "documented",
    "elementwise",
    "index_of_extreme",
    "numeric",
    "reduced_axes",
    "reduced_shape",
    "reduced_to",
    "reduction_shape",
    "wide",
]
