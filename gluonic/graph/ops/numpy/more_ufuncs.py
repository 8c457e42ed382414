"""Functions of one and of two numbers that only `mx.np` has."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph.derivation import one_dtype
from gluonic.graph.errors import InferenceError
from gluonic.graph.families import broadcast, broadcasting_rules, documented, elementwise
from gluonic.graph.ops.binary import (
    Binary,
    on_arrays,
    scalar_on_the_left,
    scalar_on_the_right,
)
from gluonic.graph.rules import same
from gluonic.graph.view import NodeView, slots_of, title_of
from gluonic.graph.zeros import ones_for_zeros


def whole(n: NodeView) -> None:
    """The dtype rule: all inputs and outputs have one dtype, of integers or booleans."""
    same(n)
    if any(value is not None and value.kind not in "iub" for value in slots_of(n).values()):
        raise InferenceError(f"{title_of(n)}: needs integers or booleans")


def _sum_of_squares(F: Any, n: Any) -> Any:
    return ones_for_zeros(F, n.lhs * n.lhs + n.rhs * n.rhs)


ROWS = [
    Binary(
        (),
        ("_npi_arctan2",),
        ("_npi_arctan2_scalar",),
        ("_npi_rarctan2_scalar",),
        "the angle of the point (`rhs`, `lhs`), in radians",
        lambda m, lhs, rhs: m.arctan2(lhs, rhs),
        lambda F, n, g: g * n.rhs / _sum_of_squares(F, n),
        lambda F, n, g: -(g * n.lhs / _sum_of_squares(F, n)),
    ),
    Binary(
        (),
        ("_npi_copysign",),
        ("_npi_copysign_scalar",),
        ("_npi_rcopysign_scalar",),
        "`lhs` with the sign of `rhs`",
        lambda m, lhs, rhs: m.copysign(lhs, rhs),
        lambda F, n, g: g * F.sign(n.output) * F.sign(n.lhs),
        lambda F, n, g: g * 0.0,
    ),
    Binary(
        (),
        ("_npi_ldexp",),
        ("_npi_ldexp_scalar",),
        ("_npi_rldexp_scalar",),
        "``lhs * 2 ** rhs``",
        lambda m, lhs, rhs: lhs * m.power(2.0, rhs),
        lambda F, n, g: g * 2.0**n.rhs,
        lambda F, n, g: g * n.output * math.log(2.0),
    ),
]
_BITS: dict[str, tuple[str, Callable[..., Any]]] = {
    "bitwise_and": ("the bits set in both", lambda m, lhs, rhs: m.bitwise_and(lhs, rhs)),
    "bitwise_or": ("the bits set in either", lambda m, lhs, rhs: m.bitwise_or(lhs, rhs)),
    "bitwise_xor": ("the bits set in exactly one", lambda m, lhs, rhs: m.bitwise_xor(lhs, rhs)),
    "lcm": ("the least common multiple", lambda m, lhs, rhs: m.lcm(lhs, rhs)),
}
_KINDS: dict[str, tuple[str, Callable[..., Any]]] = {
    "isnan": ("Whether a number is NaN", lambda m, data: m.isnan(data)),
    "isinf": ("Whether a number is infinite", lambda m, data: m.isinf(data)),
    "isfinite": ("Whether a number is finite", lambda m, data: m.isfinite(data)),
    "isposinf": (
        "Whether a number is positive and infinite",
        lambda m, data: m.logical_and(m.isinf(data), data > 0),
    ),
    "isneginf": (
        "Whether a number is negative and infinite",
        lambda m, data: m.logical_and(m.isinf(data), data < 0),
    ),
}


def _register(row: Binary) -> None:
    assert row.lhs is not None
    assert row.rhs is not None
    op = on_arrays(row.broadcasting, row, broadcast, "repeating axes of length one")
    op.gradient(**broadcasting_rules(lhs=row.lhs, rhs=row.rhs))
    scalar_on_the_right(row)
    scalar_on_the_left(row)


def _register_bits(name: str, meaning: str, expression: Callable[..., Any]) -> None:
    def with_number(m: Any, data: Any, *, scalar: float = 1.0, is_int: bool = True) -> Any:
        return expression(m, data, m.like(scalar, data))

    op = elementwise(f"_npi_{name}", shape=broadcast, dtype=whole)(
        documented(expression, name, f"Of two arrays, broadcast together, {meaning}.")
    )
    op.gradient()
    beside = documented(with_number, f"{name}_scalar", f"Of an array and a number, {meaning}.")
    elementwise(f"_npi_{name}_scalar", dtype=whole)(beside).gradient()


for _row in ROWS:
    _register(_row)
for _name, (_meaning, _expression) in _BITS.items():
    _register_bits(_name, _meaning, _expression)
for _name, (_meaning, _expression) in _KINDS.items():
    elementwise(f"_npi_{_name}", dtype=one_dtype)(
        documented(_expression, _name, f"{_meaning}, of every element.")
    ).gradient()


@elementwise("_npi_bitwise_not", dtype=whole)
def bitwise_not(m: Any, x: Any) -> Any:
    """All bits inverted; the negation of booleans."""
    return ~x


bitwise_not.gradient()


@elementwise("_npi_around")
def around(m: Any, x: Any, *, decimals: int = 0) -> Any:
    """The nearest number with `decimals` decimals; ties go to the even last digit."""
    if x.dtype.kind != "f" and decimals >= 0:
        return x
    scale = 10.0 ** abs(decimals)
    if decimals == 0:
        return m.rint(x)
    return m.rint(x * scale) / scale if decimals > 0 else m.rint(x / scale) * scale


around.gradient()


@elementwise("_npi_nan_to_num")
def nan_to_num(
    m: Any,
    data: Any,
    *,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Any:
    """Replace numbers that are not finite; leave others unchanged.

    Parameters
    ----------
    data : any array
    copy : without effect
    nan, posinf, neginf : the replacements; infinities become the largest and lowest numbers of the dtype
        by default
    """
    if data.dtype.kind != "f":
        return data
    limits = np.finfo(data.dtype)
    high = float(limits.max) if posinf is None else posinf
    low = float(limits.min) if neginf is None else neginf
    infinite = m.where(data > 0, m.like(high, data), m.like(low, data))
    return m.where(m.isnan(data), m.like(nan, data), m.where(m.isinf(data), infinite, data))


nan_to_num.gradient(data=lambda F, n, g: F._npi_where(F._npi_isfinite(n.data), g, F.zeros_like(g)))
