"""Rules by which random graphs grow: operators over single elements, and over all along some axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.codegen.growing import Draw, Growing, Shape, Value

UNARY = [
    "tanh",
    "sigmoid",
    "relu",
    "sin",
    "cos",
    "abs",
    "square",
    "negative",
    "softsign",
    "erf",
    "exp",
    "expm1",
    "arctan",
    "arcsinh",
    "sinh",
    "cosh",
    "_copy",
    "BlockGrad",
    "degrees",
    "radians",
    "_contrib_div_sqrt_dim",
    "zeros_like",
    "ones_like",
    "_contrib_gradientmultiplier",
]
POSITIVE = [
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "cbrt",
    "rcbrt",
    "reciprocal",
    "gamma",
    "gammaln",
]
PAIRS = ["add", "sub", "mul", "maximum", "minimum", "hypot"]
SAME_SHAPE = ["elemwise_add", "elemwise_sub", "elemwise_mul", "_maximum", "_minimum", "_hypot"]
SCALARS = [
    "_plus_scalar",
    "_minus_scalar",
    "_mul_scalar",
    "_rminus_scalar",
    "_maximum_scalar",
    "_minimum_scalar",
    "_div_scalar",
    "_hypot_scalar",
]
COMPARISONS = [
    "equal",
    "not_equal",
    "greater",
    "greater_equal",
    "lesser",
    "lesser_equal",
    "logical_and",
]
JUMPING = [
    "round",
    "rint",
    "ceil",
    "floor",
    "trunc",
    "fix",
    "sign",
    "logical_not",
    "argmax",
    "argmin",
]
EXACT = {"abs", "negative", "relu", "_copy", "BlockGrad", "zeros_like", "ones_like"}
REDUCTIONS = ("sum", "mean", "max", "min", "prod", "nansum", "norm")
FLOATS = ("float16", "float32", "float64")
DTYPES = (*FLOATS, "int32", "int64", "int8", "uint8", "bool")


def unary(draw: Draw, g: Growing, x: Value) -> None:
    """A function of each element."""
    name = draw(st.sampled_from(UNARY if x.is_floating else ["abs", "negative", "_copy", "square"]))
    attributes: dict[str, Any] = {"scalar": 0.5} if name == "_contrib_gradientmultiplier" else {}
    if x.dtype != "bool" and (x.shape or name != "_contrib_div_sqrt_dim"):
        g.add(name, x, exact=name in EXACT, **attributes)


def of_positive(draw: Draw, g: Growing, x: Value) -> None:
    """A function that has a pole or an edge at zero."""
    if x.is_floating:
        (squared,) = g.node("square", x)
        (shifted,) = g.node("_plus_scalar", squared, scalar=0.5)
        name = draw(st.sampled_from([*POSITIVE, "_power_scalar", "_rdiv_scalar", "_rpower_scalar"]))
        attributes: dict[str, Any] = {"scalar": 1.5} if "scalar" in name else {}
        g.add(name, shifted, **attributes)


def scalar(draw: Draw, g: Growing, x: Value) -> None:
    """An element and a number."""
    if x.is_floating:
        number = draw(st.sampled_from([0.5, 1.25, -0.75, 1.0, 2.0]))
        g.add(draw(st.sampled_from(SCALARS)), x, scalar=number)
    elif x.dtype != "bool":
        name = draw(st.sampled_from(["_plus_scalar", "_mul_scalar", "_maximum_scalar"]))
        g.add(name, x, exact=True, scalar=2)


def activation(draw: Draw, g: Growing, x: Value) -> None:
    """What follows a layer."""
    kinds = ["relu", "sigmoid", "tanh", "softrelu", "softsign"]
    leaky = ["leaky", "elu", "selu", "gelu"]
    if not x.is_floating:
        return
    name = draw(st.sampled_from([*kinds, *leaky, "clip", "smooth_l1", "hard_sigmoid", "prelu"]))
    if name in kinds:
        g.add("Activation", x, act_type=name)
    elif name in leaky:
        g.add("LeakyReLU", x, act_type=name)
    elif name == "clip":
        g.add(name, x, a_min=-0.5, a_max=0.7, exact=True)
    elif name == "prelu" and len(x.shape) > 1:
        g.add("LeakyReLU", x, g.positive(x.shape[1:2], x.dtype), act_type=name)
    elif name != "prelu":
        g.add(name, x)


def broadcasts(a: Shape, b: Shape) -> bool:
    """Whether arrays of these shapes broadcast."""
    return all(m in (n, 1) or n == 1 for m, n in zip(reversed(a), reversed(b), strict=False))


def pair(draw: Draw, g: Growing, x: Value) -> None:
    """Two results that broadcast together: one that is there, or a variable made to fit."""
    if x.dtype == "bool":
        return
    other = draw(st.sampled_from(g.like(x, lambda shape: broadcasts(x.shape, shape))))
    if draw(st.booleans()):
        kept = draw(st.integers(0, len(x.shape)))
        ones = tuple(n if draw(st.booleans()) else 1 for n in x.shape[kept:])
        other = g.variable(ones, x.dtype)
    names = PAIRS if x.is_floating else ["add", "sub", "mul", "maximum", "minimum"]
    operands = [x, other] if draw(st.booleans()) else [other, x]
    name = draw(st.sampled_from(names))
    g.add(f"broadcast_{name}", *operands, exact=name in ("maximum", "minimum") or not x.is_floating)


def quotient(draw: Draw, g: Growing, x: Value) -> None:
    """A quotient or a power, away from poles."""
    if x.is_floating:
        (squared,) = g.node("square", x)
        (shifted,) = g.node("_plus_scalar", squared, scalar=0.5)
        other = draw(st.sampled_from(g.like(x, lambda shape: broadcasts(x.shape, shape))))
        if draw(st.booleans()):
            g.add("broadcast_div", other, shifted)
        else:
            g.add("broadcast_power", shifted, other)


def same_shape(draw: Draw, g: Growing, x: Value) -> None:
    """Results of one shape."""
    if x.is_floating:
        others = g.like(x, lambda shape: shape == x.shape)
        if draw(st.booleans()):
            g.add(draw(st.sampled_from(SAME_SHAPE)), x, draw(st.sampled_from(others)))
        else:
            g.add("add_n", *draw(st.lists(st.sampled_from(others), min_size=1, max_size=4)))


def compared(draw: Draw, g: Growing, x: Value) -> None:
    """A comparison, and what it chooses."""
    if not x.exact or x.dtype == "bool":
        return
    fitting = [v for v in g.like(x, lambda shape: broadcasts(x.shape, shape)) if v.exact]
    name = draw(st.sampled_from(COMPARISONS))
    made = g.add(f"broadcast_{name}", x, draw(st.sampled_from(fitting)), exact=True)
    for value in made:
        chosen = [v for v in g.values if v.shape == value.shape and v.dtype == "float32"]
        if chosen:
            a, b = (draw(st.sampled_from(chosen)) for _ in range(2))
            g.add("where", value, a, b, exact=True)


def jumping(draw: Draw, g: Growing, x: Value) -> None:
    """A function with jumps."""
    if not x.exact or not x.is_floating or not x.array.size:
        return
    name = draw(st.sampled_from(JUMPING))
    if not name.startswith("arg"):
        g.add(name, x, exact=True)
    elif x.shape:
        keep = draw(st.booleans())
        g.add(name, x, axis=draw(st.integers(-1, len(x.shape) - 1)), keepdims=keep, exact=True)


def cast(draw: Draw, g: Growing, x: Value) -> None:
    """Another dtype; floating numbers become integers only where no rounding went into them."""
    whole = not x.is_floating or bool(np.isfinite(x.array).all() and x.array.min(initial=0) >= 0)
    usable = DTYPES if x.exact and whole else FLOATS
    g.add("Cast", x, dtype=draw(st.sampled_from(usable)), exact=True)


def reduction(draw: Draw, g: Growing, x: Value) -> None:
    """All along some axes as one."""
    if x.dtype == "bool" or not x.array.size:
        return
    rank = len(x.shape)
    axes = draw(st.lists(st.integers(0, rank - 1), min_size=1, unique=True)) if rank else []
    axis = tuple(a - rank if draw(st.booleans()) else a for a in sorted(axes)) or None
    name = draw(st.sampled_from(REDUCTIONS if x.is_floating else ("sum", "max", "min")))
    keep = draw(st.booleans())
    attributes: dict[str, Any]
    if name == "norm":
        attributes = {"axis": axis if len(axes) < 3 else None, "ord": draw(st.sampled_from([1, 2]))}
    else:
        attributes = {"axis": axis, "exclude": axis is not None and draw(st.booleans())}
    g.add(name, x, keepdims=keep, exact=name in ("max", "min") or not x.is_floating, **attributes)


def moments(draw: Draw, g: Growing, x: Value) -> None:
    """Two reductions at once."""
    if x.is_floating and x.shape and x.array.size:
        axes = draw(st.lists(st.integers(0, len(x.shape) - 1), min_size=1, unique=True))
        g.add("moments", x, axes=tuple(sorted(axes)), keepdims=draw(st.booleans()))


def softmax(draw: Draw, g: Growing, x: Value) -> None:
    """A softmax along any axis."""
    if x.is_floating and x.shape and x.array.size:
        axis = draw(st.integers(-1, len(x.shape) - 1))
        temperature = draw(st.sampled_from([None, 0.5, 2.0]))
        name = draw(st.sampled_from(["softmax", "log_softmax", "softmin"]))
        g.add(name, x, axis=axis, temperature=temperature)


RULES = (
    unary, unary, of_positive, scalar, activation, pair, pair, pair, quotient, same_shape, compared, jumping,
    cast, reduction, reduction, moments, softmax,
)  # fmt: skip
