"""Functions of two numbers: on arrays of one shape, with broadcasting, and with a scalar."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.arithmetic import is_number
from gluonic.graph.dtypes import is_floating
from gluonic.graph.families import (
    Expression,
    broadcast,
    broadcasting_rules,
    documented,
    elementwise,
    numeric,
)
from gluonic.graph.operator import GradientRule, Operator
from gluonic.graph.rules import same
from gluonic.graph.view import NodeView, peek
from gluonic.graph.zeros import is_zero, ones_for_zeros


class Binary(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    elementwise, broadcasting, scalar, reversed_scalar : the operators' names, the main one first
    meaning : the output in terms of `lhs` and `rhs`
    expression : of ``m, lhs, rhs``
    lhs, rhs : derivatives, over arrays of one shape (one may be a number); None: piecewise constant
    """

    elementwise: tuple[str, ...]
    broadcasting: tuple[str, ...]
    scalar: tuple[str, ...]
    reversed_scalar: tuple[str, ...]
    meaning: str
    expression: Callable[..., Any]
    lhs: GradientRule | None = None
    rhs: GradientRule | None = None


def _one_less(F: Any, exponent: Any) -> Any:
    """The exponent of a derivative: 0 for 0, where the derivative is 0 for every base."""
    if is_number(exponent):
        return exponent - 1 if exponent else 0.0
    return exponent - 1 + is_zero(F, exponent)


def _log_of_base(F: Any, n: Any) -> Any:
    """The logarithm of the base of a power, and a finite number where base and power are 0."""
    if is_number(n.lhs) and n.lhs:
        with np.errstate(all="ignore"):
            return float(np.log(float(n.lhs)))
    return F.log(n.lhs + is_zero(F, n.output))


def _unless_whole(F: Any, g: Any) -> Any:
    """A gradient, or zeros where it is of integers, which have no fractions."""
    return g * (F.ones_like(g) / 2 * 2)


def _has_divisor(F: Any, divisor: Any) -> Any:
    """Whether a remainder depends on what is divided."""
    return float(divisor != 0) if is_number(divisor) else 1.0 - is_zero(F, divisor)


def _quotient(F: Any, n: Any) -> Any:
    """How often the divisor fits, and 0 where it is 0."""
    return F.floor(n.lhs / ones_for_zeros(F, n.rhs)) * _has_divisor(F, n.rhs)


BINARY = [
    Binary(
        ("elemwise_add", "_add", "_plus", "_Plus", "_grad_add"),
        ("broadcast_add", "broadcast_plus"),
        ("_plus_scalar", "_PlusScalar"),
        (),
        "``lhs + rhs``",
        lambda m, lhs, rhs: lhs + rhs,
        lambda F, n, g: g,
        lambda F, n, g: g,
    ),
    Binary(
        ("elemwise_sub", "_sub", "_minus", "_Minus"),
        ("broadcast_sub", "broadcast_minus"),
        ("_minus_scalar", "_MinusScalar"),
        ("_rminus_scalar", "_RMinusScalar"),
        "``lhs - rhs``",
        lambda m, lhs, rhs: lhs - rhs,
        lambda F, n, g: g,
        lambda F, n, g: -g,
    ),
    Binary(
        ("elemwise_mul", "_mul", "_Mul"),
        ("broadcast_mul",),
        ("_mul_scalar", "_MulScalar"),
        (),
        "``lhs * rhs``",
        lambda m, lhs, rhs: lhs * rhs,
        lambda F, n, g: g * n.rhs,
        lambda F, n, g: g * n.lhs,
    ),
    Binary(
        ("elemwise_div", "_div", "_Div"),
        ("broadcast_div",),
        ("_div_scalar", "_DivScalar"),
        ("_rdiv_scalar", "_RDivScalar"),
        "``lhs / rhs``, for integers rounded towards zero",
        lambda m, lhs, rhs: m.quotient(lhs, rhs),
        lambda F, n, g: g / n.rhs,
        lambda F, n, g: -(g * n.output / n.rhs),
    ),
    Binary(
        ("_mod", "_Mod"),
        ("broadcast_mod",),
        ("_mod_scalar", "_ModScalar"),
        ("_rmod_scalar", "_RModScalar"),
        "the remainder of ``lhs / rhs`` with the sign of `rhs`, and 0 where `rhs` is 0",
        lambda m, lhs, rhs: m.mod(lhs, rhs),
        lambda F, n, g: _unless_whole(F, g) * _has_divisor(F, n.rhs),
        lambda F, n, g: -(_unless_whole(F, g) * _quotient(F, n)),
    ),
    Binary(
        ("_power", "_Power"),
        ("broadcast_power",),
        ("_power_scalar", "_PowerScalar"),
        ("_rpower_scalar", "_RPowerScalar"),
        "``lhs ** rhs``",
        lambda m, lhs, rhs: m.power(lhs, rhs),
        lambda F, n, g: g * n.rhs * n.lhs ** _one_less(F, n.rhs),
        lambda F, n, g: g * n.output * _log_of_base(F, n),
    ),
    Binary(
        ("_maximum", "_Maximum"),
        ("broadcast_maximum",),
        ("_maximum_scalar", "_MaximumScalar"),
        (),
        "the larger of `lhs` and `rhs`, NaN where either is",
        lambda m, lhs, rhs: m.maximum(lhs, rhs),
        lambda F, n, g: g * (n.lhs >= n.rhs),
        lambda F, n, g: g * (n.lhs < n.rhs),
    ),
    Binary(
        ("_minimum", "_Minimum"),
        ("broadcast_minimum",),
        ("_minimum_scalar", "_MinimumScalar"),
        (),
        "the smaller of `lhs` and `rhs`, NaN where either is",
        lambda m, lhs, rhs: m.minimum(lhs, rhs),
        lambda F, n, g: g * (n.lhs <= n.rhs),
        lambda F, n, g: g * (n.lhs > n.rhs),
    ),
    Binary(
        ("_hypot", "_Hypot"),
        ("broadcast_hypot",),
        ("_hypot_scalar", "_HypotScalar"),
        (),
        "``sqrt(lhs**2 + rhs**2)``",
        lambda m, lhs, rhs: m.hypot(lhs, rhs),
        lambda F, n, g: g * n.lhs / ones_for_zeros(F, n.output),
        lambda F, n, g: g * n.rhs / ones_for_zeros(F, n.output),
    ),
    Binary(
        ("_equal", "_Equal"),
        ("broadcast_equal",),
        ("_equal_scalar", "_EqualScalar"),
        (),
        "1 where ``lhs == rhs``, else 0",
        lambda m, lhs, rhs: lhs == rhs,
    ),
    Binary(
        ("_not_equal", "_Not_Equal"),
        ("broadcast_not_equal",),
        ("_not_equal_scalar", "_NotEqualScalar"),
        (),
        "1 where ``lhs != rhs``, else 0",
        lambda m, lhs, rhs: lhs != rhs,
    ),
    Binary(
        ("_greater", "_Greater"),
        ("broadcast_greater",),
        ("_greater_scalar", "_GreaterScalar"),
        (),
        "1 where ``lhs > rhs``, else 0",
        lambda m, lhs, rhs: lhs > rhs,
    ),
    Binary(
        ("_greater_equal", "_Greater_Equal"),
        ("broadcast_greater_equal",),
        ("_greater_equal_scalar", "_GreaterEqualScalar"),
        (),
        "1 where ``lhs >= rhs``, else 0",
        lambda m, lhs, rhs: lhs >= rhs,
    ),
    Binary(
        ("_lesser", "_Lesser"),
        ("broadcast_lesser",),
        ("_lesser_scalar", "_LesserScalar"),
        (),
        "1 where ``lhs < rhs``, else 0",
        lambda m, lhs, rhs: lhs < rhs,
    ),
    Binary(
        ("_lesser_equal", "_Lesser_Equal"),
        ("broadcast_lesser_equal",),
        ("_lesser_equal_scalar", "_LesserEqualScalar"),
        (),
        "1 where ``lhs <= rhs``, else 0",
        lambda m, lhs, rhs: lhs <= rhs,
    ),
    Binary(
        ("_logical_and", "_Logical_And"),
        ("broadcast_logical_and",),
        ("_logical_and_scalar", "_LogicalAndScalar"),
        (),
        "1 where neither `lhs` nor `rhs` is 0, else 0",
        lambda m, lhs, rhs: m.logical_and(lhs, rhs),
    ),
    Binary(
        ("_logical_or", "_Logical_Or"),
        ("broadcast_logical_or",),
        ("_logical_or_scalar", "_LogicalOrScalar"),
        (),
        "1 where `lhs` or `rhs` is not 0, else 0",
        lambda m, lhs, rhs: m.logical_or(lhs, rhs),
    ),
    Binary(
        ("_logical_xor", "_Logical_Xor"),
        ("broadcast_logical_xor",),
        ("_logical_xor_scalar", "_LogicalXorScalar"),
        (),
        "1 where exactly one of `lhs` and `rhs` is 0, else 0",
        lambda m, lhs, rhs: m.logical_xor(lhs, rhs),
    ),
]


def on_arrays(names: tuple[str, ...], row: Binary, shape: Any, extent: str) -> Operator:
    """Register a function of two arrays, without its gradient."""
    documentation = f"{row.meaning[0].upper()}{row.meaning[1:]}, {extent}."
    dtype = same if row.lhs is None else numeric
    return elementwise(*names, shape=shape, dtype=dtype)(
        documented(row.expression, names[0], documentation)
    )


def beside_scalar(n: NodeView) -> None:
    """The dtype rule of array and number: integers stay, unless the number is no whole one."""
    data, output = peek(n, "data"), peek(n, "output")
    if data is not None:
        wide = "int64" if n.is_int else "float64"
        stays = is_floating(data) or (data.kind in "iu" and n.is_int)
        n.output = data if stays else np.dtype(wide)
    elif output is not None and output.name not in ("int64", "float64"):
        n.data = output


def _with_scalar(
    names: tuple[str, ...], expression: Expression, documentation: str, rule: GradientRule | None
) -> None:
    op = elementwise(*names, dtype=beside_scalar)(documented(expression, names[0], documentation))
    if rule is None:
        op.gradient()
    else:
        op.gradient(data=rule)


def scalar_on_the_right(row: Binary) -> None:
    """Register a function of an array and a number."""

    def expression(m: Any, data: Any, *, scalar: float = 1.0, is_int: bool = True) -> Any:
        data = m.operand(data, is_int)
        return row.expression(m, data, m.like(scalar, data))

    def gradient(F: Any, n: Any, g: Any) -> Any:
        assert row.lhs is not None
        view: Any = SimpleNamespace(lhs=n.data, rhs=n.scalar, output=n.output)
        return row.lhs(F, view, g)

    documentation = f"`data` as `lhs` and the number `scalar` as `rhs`: {row.meaning}."
    _with_scalar(row.scalar, expression, documentation, row.lhs and gradient)


def scalar_on_the_left(row: Binary) -> None:
    """Register a function of a number and an array."""

    def expression(m: Any, data: Any, *, scalar: float = 1.0, is_int: bool = True) -> Any:
        data = m.operand(data, is_int)
        return row.expression(m, m.like(scalar, data), data)

    def gradient(F: Any, n: Any, g: Any) -> Any:
        assert row.rhs is not None
        view: Any = SimpleNamespace(lhs=n.scalar, rhs=n.data, output=n.output)
        return row.rhs(F, view, g)

    documentation = f"The number `scalar` as `lhs` and `data` as `rhs`: {row.meaning}."
    _with_scalar(row.reversed_scalar, expression, documentation, row.rhs and gradient)


def _register(row: Binary) -> None:
    alike = on_arrays(row.elementwise, row, same, "element by element")
    stretched = on_arrays(row.broadcasting, row, broadcast, "repeating axes of length one")
    rules = {k: rule for k, rule in (("lhs", row.lhs), ("rhs", row.rhs)) if rule is not None}
    alike.gradient(**rules)
    stretched.gradient(**broadcasting_rules(**rules))
    scalar_on_the_right(row)
    if row.reversed_scalar:
        scalar_on_the_left(row)


for _row in BINARY:
    _register(_row)
