"""Functions of one number, applied to every element."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from gluonic.graph.families import documented, elementwise, numeric
from gluonic.graph.operator import GradientRule, Rule
from gluonic.graph.ops.layer_rules import floating
from gluonic.graph.rules import same


class Unary(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    name : the operator's name
    documentation : what it computes
    expression : of ``m, data``
    gradient : its derivative; None where it is piecewise constant
    """

    name: str
    documentation: str
    expression: Callable[..., Any]
    gradient: GradientRule | None = None


def _sign(m: Any, data: Any) -> Any:
    return m.where(data > 0, m.like(1, data), -m.astype(data < 0, "int8"))


def _round(m: Any, data: Any) -> Any:
    size = m.floor(m.abs(m.wide(data)) + 0.5)
    return m.where(data < 0, m.negative(size), size)


def _rint(m: Any, data: Any) -> Any:
    low, high, x = m.floor(data), m.ceil(data), m.wide(data)
    return m.where(x - low <= high - x, low, high)


UNARY = [
    Unary(
        "abs",
        "Absolute value",
        lambda m, data: m.abs(data),
        lambda F, n, g: g * F.sign(n.data),
    ),
    Unary(
        "negative",
        "The negated number",
        lambda m, data: -data,
        lambda F, n, g: -g,
    ),
    Unary(
        "reciprocal",
        "``1 / x``",
        lambda m, data: 1.0 / data,
        lambda F, n, g: -(g * n.output * n.output),
    ),
    Unary(
        "square",
        "``x * x``",
        lambda m, data: data * data,
        lambda F, n, g: g * n.data * 2.0,
    ),
    Unary(
        "sqrt",
        "Square root",
        lambda m, data: m.sqrt(data),
        lambda F, n, g: g * 0.5 / n.output,
    ),
    Unary(
        "rsqrt",
        "``1 / sqrt(x)``",
        lambda m, data: 1.0 / m.sqrt(m.wide(data)),
        lambda F, n, g: -0.5 * g * n.output / n.data,
    ),
    Unary(
        "cbrt",
        "Cube root",
        lambda m, data: m.cbrt(data),
        lambda F, n, g: g / (3.0 * n.output * n.output),
    ),
    Unary(
        "rcbrt",
        "``1 / cbrt(x)``",
        lambda m, data: 1.0 / m.cbrt(m.wide(data)),
        lambda F, n, g: g * n.output / (-3.0 * n.data),
    ),
    Unary(
        "exp",
        "Exponential",
        lambda m, data: m.exp(data),
        lambda F, n, g: g * n.output,
    ),
    Unary(
        "expm1",
        "``exp(x) - 1``, exact for small numbers",
        lambda m, data: m.expm1(data),
        lambda F, n, g: g * (n.output + 1.0),
    ),
    Unary(
        "log",
        "Natural logarithm",
        lambda m, data: m.log(data),
        lambda F, n, g: g / n.data,
    ),
    Unary(
        "log2",
        "Logarithm to base 2",
        lambda m, data: m.log2(data),
        lambda F, n, g: g / (n.data * math.log(2.0)),
    ),
    Unary(
        "log10",
        "Logarithm to base 10",
        lambda m, data: m.log10(data),
        lambda F, n, g: g / (n.data * math.log(10.0)),
    ),
    Unary(
        "log1p",
        "``log(1 + x)``, exact for small numbers",
        lambda m, data: m.log1p(data),
        lambda F, n, g: g / (1.0 + n.data),
    ),
    Unary(
        "sin",
        "Sine",
        lambda m, data: m.sin(data),
        lambda F, n, g: g * F.cos(n.data),
    ),
    Unary(
        "cos",
        "Cosine",
        lambda m, data: m.cos(data),
        lambda F, n, g: -(g * F.sin(n.data)),
    ),
    Unary(
        "tan",
        "Tangent",
        lambda m, data: m.tan(data),
        lambda F, n, g: g * (1.0 + n.output * n.output),
    ),
    Unary(
        "arcsin",
        "Inverse sine, in radians",
        lambda m, data: m.arcsin(data),
        lambda F, n, g: g * F.rsqrt(1.0 - n.data * n.data),
    ),
    Unary(
        "arccos",
        "Inverse cosine, in radians",
        lambda m, data: m.arccos(data),
        lambda F, n, g: -(g * F.rsqrt(1.0 - n.data * n.data)),
    ),
    Unary(
        "arctan",
        "Inverse tangent, in radians",
        lambda m, data: m.arctan(data),
        lambda F, n, g: g / (1.0 + n.data * n.data),
    ),
    Unary(
        "sinh",
        "Hyperbolic sine",
        lambda m, data: m.sinh(data),
        lambda F, n, g: g * F.cosh(n.data),
    ),
    Unary(
        "cosh",
        "Hyperbolic cosine",
        lambda m, data: m.cosh(data),
        lambda F, n, g: g * F.sinh(n.data),
    ),
    Unary(
        "tanh",
        "Hyperbolic tangent",
        lambda m, data: m.tanh(data),
        lambda F, n, g: g * (1.0 - n.output * n.output),
    ),
    Unary(
        "arcsinh",
        "Inverse hyperbolic sine",
        lambda m, data: m.arcsinh(data),
        lambda F, n, g: g * F.rsqrt(n.data * n.data + 1.0),
    ),
    Unary(
        "arccosh",
        "Inverse hyperbolic cosine",
        lambda m, data: m.arccosh(data),
        lambda F, n, g: g * F.rsqrt(n.data * n.data - 1.0),
    ),
    Unary(
        "arctanh",
        "Inverse hyperbolic tangent",
        lambda m, data: m.arctanh(data),
        lambda F, n, g: g / (1.0 - n.data * n.data),
    ),
    Unary(
        "degrees",
        "Radians converted to degrees",
        lambda m, data: m.degrees(data),
        lambda F, n, g: g * (180.0 / math.pi),
    ),
    Unary(
        "radians",
        "Degrees converted to radians",
        lambda m, data: m.radians(data),
        lambda F, n, g: g * (math.pi / 180.0),
    ),
    Unary(
        "sigmoid",
        "Logistic function, ``1 / (1 + exp(-x))``",
        lambda m, data: m.sigmoid(data),
        lambda F, n, g: g * n.output * (1.0 - n.output),
    ),
    Unary(
        "softsign",
        "``x / (1 + abs(x))``",
        lambda m, data: data / (1.0 + m.abs(m.wide(data))),
        lambda F, n, g: g / F.square(1.0 + F.abs(n.data)),
    ),
    Unary(
        "relu",
        "The number, or 0 if it is negative",
        lambda m, data: m.maximum(data, 0),
        lambda F, n, g: F.where(n.output > 0.0, g, g * n.output),  # the output is 0 there, or NaN
    ),
    Unary(
        "erf",
        "Gauss's error function",
        lambda m, data: m.erf(data),
        lambda F, n, g: g * F.exp(-(n.data * n.data)) * (2.0 / math.sqrt(math.pi)),
    ),
    Unary(
        "erfinv",
        "Inverse of Gauss's error function",
        lambda m, data: m.erfinv(data),
        lambda F, n, g: g * F.exp(n.output * n.output) * (math.sqrt(math.pi) / 2.0),
    ),
    Unary(
        "gamma",
        "Gamma function",
        lambda m, data: m.gamma(data),
        lambda F, n, g: g * n.output * F.digamma(n.data),
    ),
    Unary(
        "gammaln",
        "Logarithm of the absolute value of the gamma function",
        lambda m, data: m.gammaln(data),
        lambda F, n, g: g * F.digamma(n.data),
    ),
    Unary(
        "digamma",
        "Derivative of `gammaln`",
        lambda m, data: m.digamma(data),
        lambda F, n, g: g * F._polygamma(n.data, order=1),
    ),
    Unary(
        "sign",
        "1 for positive numbers, -1 for negative ones, else 0",
        _sign,
    ),
    Unary(
        "round",
        "The nearest integer; ties are rounded away from 0",
        _round,
    ),
    Unary(
        "rint",
        "The nearest integer; ties are rounded down",
        _rint,
    ),
    Unary(
        "_contrib_sign_ste",
        "`sign`, with the gradient of the identity",
        _sign,
        lambda F, n, g: g,
    ),
    Unary(
        "_contrib_round_ste",
        "`round`, with the gradient of the identity",
        _round,
        lambda F, n, g: g,
    ),
    Unary(
        "ceil",
        "The next integer upwards",
        lambda m, data: m.ceil(data),
    ),
    Unary(
        "floor",
        "The next integer downwards",
        lambda m, data: m.floor(data),
    ),
    Unary(
        "trunc",
        "The integer without the fraction",
        lambda m, data: m.trunc(data),
    ),
    Unary(
        "fix",
        "The next integer towards 0",
        lambda m, data: m.trunc(data),
    ),
    Unary(
        "logical_not",
        "1 where the number is 0, else 0",
        lambda m, data: data == 0,
    ),
]


def _register(row: Unary) -> None:
    dtype: Rule = same if row.name == "logical_not" else numeric
    op = elementwise(row.name, dtype=dtype)(
        documented(row.expression, row.name, f"{row.documentation}, of every element.")
    )
    if row.gradient is None:
        op.gradient()
    else:
        op.gradient(data=row.gradient)


for _row in UNARY:
    _register(_row)


@elementwise("_polygamma", dtype=floating())
def polygamma(m: Any, data: Any, *, order: int) -> Any:
    """The derivative of `gammaln` of order `order` + 1, for positive numbers."""
    return m.polygamma(order, data)


polygamma.gradient(data=lambda F, n, g: g * F._polygamma(n.data, order=n.order + 1))


@elementwise("hard_sigmoid", dtype=floating())
def hard_sigmoid(m: Any, data: Any, *, alpha: float = 0.2, beta: float = 0.5) -> Any:
    """``alpha * x + beta``, at least 0 and at most 1."""
    line = m.attribute(alpha, data) * m.wide(data) + m.attribute(beta, data)
    return m.minimum(m.maximum(line, 0), 1)


hard_sigmoid.gradient(
    data=lambda F, n, g: g * n.alpha * (n.output > 0.0) * (n.output < 1.0),
)


@elementwise("clip", dtype=numeric)
def clip(m: Any, data: Any, *, a_min: float, a_max: float) -> Any:
    """Numbers below `a_min` become `a_min`, numbers above `a_max` become `a_max`."""
    low, high = m.like(a_min, data), m.like(a_max, data)
    return m.where(data > high, high, m.maximum(data, low))


clip.gradient(
    data=lambda F, n, g: g * F.logical_not(F._logical_or(n.data < n.a_min, n.data > n.a_max)),
)


@elementwise("smooth_l1", dtype=numeric)
def smooth_l1(m: Any, data: Any, *, scalar: float = 1.0) -> Any:
    """The Huber loss of every element: quadratic near 0, linear elsewhere.

    With ``s = scalar**2``, it is ``s * x**2 / 2`` where ``abs(x) < 1 / s``, else
    ``abs(x) - 0.5 / s``.
    """
    square, x = m.attribute(scalar, data) ** 2, m.wide(data)
    return m.where(m.abs(x) < 1 / square, 0.5 * square * x * x, m.abs(x) - 0.5 / square)


smooth_l1.gradient(
    data=lambda F, n, g: g * F.clip(n.data * n.scalar**2, a_min=-1.0, a_max=1.0),
)


@elementwise("_contrib_quadratic", dtype=numeric)
def quadratic(m: Any, data: Any, *, a: float = 0.0, b: float = 0.0, c: float = 0.0) -> Any:
    """``a * x**2 + b * x + c`` of every element."""
    x, (a, b, c) = m.wide(data), (m.attribute(number, data) for number in (a, b, c))
    return (a * x + b) * x + c


quadratic.gradient(data=lambda F, n, g: g * (n.data * (2.0 * n.a) + n.b))


@elementwise("_contrib_gradientmultiplier")
def gradient_multiplier(m: Any, data: Any, *, scalar: float = 1.0, is_int: bool = True) -> Any:
    """The input itself; the gradient is multiplied by `scalar` (negative: gradient reversal)."""
    return data


gradient_multiplier.gradient(data=lambda F, n, g: g * n.scalar)
