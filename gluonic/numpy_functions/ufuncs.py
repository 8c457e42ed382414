"""Functions of one and of two numbers, element by element."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.arithmetic import is_number
from gluonic.graph.errors import describe
from gluonic.numpy_functions.table import Operators, add

_DEFAULTS = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True}
_CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
_LEGAL: dict[str, Callable[[Any], bool]] = {
    "where": lambda value: value is False,
    "casting": lambda value: value in _CASTINGS,
    "order": lambda value: isinstance(value, str),
    "dtype": lambda value: is_dtype(value),
    "subok": lambda value: value is False,
}


def is_dtype(value: Any) -> bool:
    """Whether NumPy knows a dtype under a name, or as a type."""
    try:
        np.dtype(value)
    except TypeError:
        return False
    return True


def is_legal(key: str, value: Any) -> bool:
    """Whether NumPy's universal functions take a keyword, and it may have that value."""
    return key in _LEGAL and (value is _DEFAULTS[key] or _LEGAL[key](value))


def check_keywords(name: str, keywords: dict[str, Any]) -> None:
    """Raise an error for keywords of NumPy's universal functions that this one does not support.

    Raises
    ------
    NotImplementedError
        for a keyword or value that NumPy supports
    TypeError
        for one that NumPy does not know
    """
    for key, value in keywords.items():
        if key not in _DEFAULTS:
            raise TypeError(f"np.{name} takes no {key}=")
        if value is _DEFAULTS[key] or value == _DEFAULTS[key]:
            continue
        if _LEGAL[key](value):
            raise NotImplementedError(f"np.{name}: {key}={value} is not there")
        raise TypeError(f"np.{name}: {key}={value} is no choice")


_TRUTHS = (
    "_npi_logical_not",
    *(f"_npi_is{kind}" for kind in ("nan", "inf", "posinf", "neginf", "finite")),
)
"""Operators whose results are truth values."""


def unsupported(name: str, value: Any) -> TypeError:
    """The error for an operand that is neither an array nor a number."""
    return TypeError(
        describe(
            f"type {type(value)} not supported",
            where=f"np.{name}",
            hint="mx.np.array(value)" if hasattr(value, "__array__") else "",
        )
    )


class UnaryFunction(NamedTuple):
    """A row: the operator, its meaning, and its function for a number."""

    operator: str
    meaning: str
    numbers: Callable[[Any], Any]


class BinaryFunction(NamedTuple):
    """A row: operators for arrays, array and number, number and array; meaning; function for numbers."""

    operator: str
    scalar: str
    reversed_scalar: str
    meaning: str
    numbers: Callable[[Any, Any], Any]


_UNARY = {
    "absolute": ("_npi_absolute", "the absolute value"),
    "abs": ("_npi_absolute", "the absolute value"),
    "fabs": ("_npi_absolute", "the absolute value"),
    "negative": ("_npi_negative", "the number with the opposite sign"),
    "reciprocal": ("_npi_reciprocal", "one divided by the number"),
    "sign": ("_npi_sign", "-1, 0 or 1 by the sign"),
    "rint": ("_npi_rint", "the nearest whole number"),
    "ceil": ("_npi_ceil", "the next whole number upwards"),
    "floor": ("_npi_floor", "the next whole number downwards"),
    "trunc": ("_npi_trunc", "the number without its fraction"),
    "fix": ("_npi_fix", "the next whole number towards 0"),
    "square": ("_npi_square", "the square"),
    "sqrt": ("_npi_sqrt", "the square root"),
    "cbrt": ("_npi_cbrt", "the cube root"),
    "exp": ("_npi_exp", "the exponential"),
    "expm1": ("_npi_expm1", "the exponential minus one"),
    "log": ("_npi_log", "the natural logarithm"),
    "log10": ("_npi_log10", "the logarithm to base 10"),
    "log2": ("_npi_log2", "the logarithm to base 2"),
    "log1p": ("_npi_log1p", "the natural logarithm of one plus the number"),
    "sin": ("_npi_sin", "the sine"),
    "cos": ("_npi_cos", "the cosine"),
    "tan": ("_npi_tan", "the tangent"),
    "arcsin": ("_npi_arcsin", "the inverse sine"),
    "arccos": ("_npi_arccos", "the inverse cosine"),
    "arctan": ("_npi_arctan", "the inverse tangent"),
    "sinh": ("_npi_sinh", "the hyperbolic sine"),
    "cosh": ("_npi_cosh", "the hyperbolic cosine"),
    "tanh": ("_npi_tanh", "the hyperbolic tangent"),
    "arcsinh": ("_npi_arcsinh", "the inverse hyperbolic sine"),
    "arccosh": ("_npi_arccosh", "the inverse hyperbolic cosine"),
    "arctanh": ("_npi_arctanh", "the inverse hyperbolic tangent"),
    "degrees": ("_npi_degrees", "the angle in degrees"),
    "rad2deg": ("_npi_degrees", "the angle in degrees"),
    "radians": ("_npi_radians", "the angle in radians"),
    "deg2rad": ("_npi_radians", "the angle in radians"),
    "logical_not": ("_npi_logical_not", "True where the number is 0"),
    "bitwise_not": ("_npi_bitwise_not", "the number with all bits inverted"),
    "invert": ("_npi_bitwise_not", "the number with all bits inverted"),
    "isnan": ("_npi_isnan", "whether the number is NaN"),
    "isinf": ("_npi_isinf", "whether the number is infinite"),
    "isposinf": ("_npi_isposinf", "whether the number is positive and infinite"),
    "isneginf": ("_npi_isneginf", "whether the number is negative and infinite"),
    "isfinite": ("_npi_isfinite", "whether the number is finite"),
}

UNARY = {name: UnaryFunction(*row, getattr(np, name)) for name, row in _UNARY.items()}


def _binary(name: str, meaning: str, *, reverse: str = "", numpy: str = "") -> BinaryFunction:
    operator = f"_npi_{name}"
    reversed_scalar = f"_npi_{reverse}_scalar" if reverse else f"{operator}_scalar"
    return BinaryFunction(
        operator, f"{operator}_scalar", reversed_scalar, meaning, getattr(np, numpy or name)
    )


BINARY = {
    "add": _binary("add", "the sum"),
    "subtract": _binary("subtract", "the difference", reverse="rsubtract"),
    "multiply": _binary("multiply", "the product"),
    "true_divide": _binary("true_divide", "the quotient", reverse="rtrue_divide"),
    "divide": _binary("true_divide", "the quotient", reverse="rtrue_divide"),
    "mod": _binary("mod", "the remainder", reverse="rmod"),
    "remainder": _binary("mod", "the remainder", reverse="rmod"),
    "power": _binary("power", "the power", reverse="rpower"),
    "equal": _binary("equal", "True where the two are equal,"),
    "not_equal": _binary("not_equal", "True where the two differ,"),
    "greater": _binary("greater", "True where the first is greater,", reverse="less"),
    "greater_equal": _binary(
        "greater_equal", "True where the first is no smaller,", reverse="less_equal"
    ),
    "less": _binary("less", "True where the first is smaller,", reverse="greater"),
    "less_equal": _binary(
        "less_equal", "True where the first is no greater,", reverse="greater_equal"
    ),
    "hypot": BinaryFunction(
        "_npi_hypot", "_npi_hypot_scalar", "_npi_hypot_scalar", "the hypotenuse", np.hypot
    ),
    "maximum": _binary("maximum", "the greater"),
    "minimum": _binary("minimum", "the smaller"),
    "arctan2": _binary("arctan2", "the angle of the point (`x2`, `x1`)", reverse="rarctan2"),
    "copysign": _binary("copysign", "the first with the sign of the second", reverse="rcopysign"),
    "ldexp": _binary("ldexp", "``x1 * 2 ** x2``", reverse="rldexp"),
    "bitwise_and": _binary("bitwise_and", "the bits that both have"),
    "bitwise_or": _binary("bitwise_or", "the bits that either has"),
    "bitwise_xor": _binary("bitwise_xor", "the bits that just one has"),
    "lcm": _binary("lcm", "the least common multiple"),
}


def _unary_function(name: str, row: UnaryFunction) -> Callable[..., Any]:
    def of_one(F: Operators, x: Any, out: Any = None, **kwargs: Any) -> Any:
        return bind(F)(x, out, **kwargs)

    def bind(F: Operators) -> Callable[..., Any]:
        operator: Callable[..., Any] = getattr(F, row.operator)
        is_array = F.is_array

        def call(x: Any, out: Any = None, **kwargs: Any) -> Any:
            if kwargs:
                check_keywords(name, kwargs)
            if is_array(x):
                if out is None:
                    return operator(x)
                if row.operator in _TRUTHS and not F.is_symbolic and out.dtype != np.bool_:
                    raise TypeError(f"np.{name}: out must be of truth values, not {out.dtype}")
                return operator(x, out=out)
            if is_number(x):
                return row.numbers(x)
            raise unsupported(name, x)

        return call

    of_one.bind = bind  # type: ignore[attr-defined]
    of_one.__doc__ = (
        f"Return {row.meaning} of each element.\n\n"
        "Parameters\n----------\n"
        "x : array, or a number\n"
        "out : the array that receives the result\n\n"
        "Returns\n-------\nan array like `x`; of a number, a number\n"
    )
    return of_one


class _Mixing:
    """Whether an array of NumPy may be the other operand of one of `mx.np`, as in MXNet 2.0."""

    is_allowed = False


MIXING = _Mixing()


def _as_arrays(value: Any, kind: type) -> Any:
    """An array of NumPy as one of another class, which shares its memory; anything else as it is."""
    return kind(value) if isinstance(value, np.ndarray) and kind is not np.ndarray else value


def _of_operands(
    F: Operators, row: BinaryFunction, name: str, x1: Any, x2: Any, keywords: dict[str, Any]
) -> Any:
    """Apply the operator for the kinds of two operands: arrays or numbers."""
    first, second = F.is_array(x1), F.is_array(x2)
    if MIXING.is_allowed and first != second:
        x1, x2 = _as_arrays(x1, type(x2)), _as_arrays(x2, type(x1))
        first, second = F.is_array(x1), F.is_array(x2)
    for is_array, value in ((first, x1), (second, x2)):
        if not is_array and not is_number(value):
            raise unsupported(name, value)
    if first and second:
        return getattr(F, row.operator)(x1, x2, **keywords)
    if first:
        return getattr(F, row.scalar)(x1, scalar=float(x2), **keywords)
    if second:
        return getattr(F, row.reversed_scalar)(x2, scalar=float(x1), **keywords)
    return row.numbers(x1, x2)


def _binary_function(name: str, row: BinaryFunction) -> Callable[..., Any]:
    def of_two(F: Operators, x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
        return bind(F)(x1, x2, out, **kwargs)

    def bind(F: Operators) -> Callable[..., Any]:
        with_arrays, operator, kind = F.with_arrays, row.operator, F.kind

        def call(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
            if type(x1) is kind and type(x2) is kind and out is None and not kwargs:
                return with_arrays(operator, x1, x2)  # the most frequent case
            if out is None and not kwargs and type(x1) is kind and is_number(x2):
                return F.with_number(row.scalar, x1, x2)
            check_keywords(name, kwargs)
            return _of_operands(F, row, name, x1, x2, {} if out is None else {"out": out})

        return call

    of_two.bind = bind  # type: ignore[attr-defined]
    of_two.__doc__ = (
        f"Return {row.meaning} of two arrays, broadcast together, or of an array and a number.\n\n"
        "Parameters\n----------\n"
        "x1, x2 : arrays or numbers\n"
        "out : the array that receives the result\n\n"
        "Returns\n-------\nan array; of two numbers, a number\n"
    )
    return of_two


for _name, _row in UNARY.items():
    add(_name, _unary_function(_name, _row))
for _name, _pair in BINARY.items():
    add(_name, _binary_function(_name, _pair))
