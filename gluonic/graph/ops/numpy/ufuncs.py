"""NumPy's unary and binary functions, in all their forms."""

from collections.abc import Iterator

from gluonic.graph.derivation import derived, floating, one_dtype, promoted
from gluonic.graph.rules import same

# The operators on arrays, with a number, and with a number on the left: NumPy's, and their bases.
_ARITHMETIC = {
    ("_npi_add", "broadcast_add"): {"_npi_add_scalar": "_plus_scalar"},
    ("_npi_subtract", "broadcast_sub"): {
        "_npi_subtract_scalar": "_minus_scalar",
        "_npi_rsubtract_scalar": "_rminus_scalar",
    },
    ("_npi_multiply", "broadcast_mul"): {"_npi_multiply_scalar": "_mul_scalar"},
    ("_npi_mod", "broadcast_mod"): {
        "_npi_mod_scalar": "_mod_scalar",
        "_npi_rmod_scalar": "_rmod_scalar",
    },
    ("_npi_power", "broadcast_power"): {
        "_npi_power_scalar": "_power_scalar",
        "_npi_rpower_scalar": "_rpower_scalar",
    },
}
_QUOTIENTS = {
    "_npi_true_divide": "broadcast_div",
    "_npi_true_divide_scalar": "_div_scalar",
    "_npi_rtrue_divide_scalar": "_rdiv_scalar",
}
_COMPARISONS = {
    "equal": "equal",
    "not_equal": "not_equal",
    "greater": "greater",
    "greater_equal": "greater_equal",
    "less": "lesser",
    "less_equal": "lesser_equal",
}
_UNARY = {
    "_npi_absolute": "abs",
    **{
        f"_npi_{name}": name
        for name in (
            "reciprocal", "sign", "ceil", "floor", "trunc", "fix", "square", "sqrt", "cbrt",
            "exp", "log", "log10", "log2", "log1p", "expm1", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
            "degrees", "radians", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh",
        )
    },
    "_npx_relu": "relu",
    "_npx_sigmoid": "sigmoid",
    "_np_copy": "_copy",
}  # fmt: skip
"""Operators that also take booleans, and otherwise are the operators of these names."""
_THE_SAME = {"_npi_hypot": "broadcast_hypot", "_npi_negative": "negative", "_npi_rint": "rint"}
_ALIASES = {"_npi_absolute": ("_npi_abs",)}


def _names() -> Iterator[str]:
    """Register them all."""
    for (name, base), with_number in _ARITHMETIC.items():
        yield derived(name, base, cast_to=promoted).name
        for scalar, scalar_base in with_number.items():
            yield derived(scalar, scalar_base).name
    for name, base in _QUOTIENTS.items():
        yield derived(name, base, cast_to=floating).name
    for name, base in _COMPARISONS.items():
        yield derived(f"_npi_{name}", f"broadcast_{base}", dtype=one_dtype).name
        yield derived(f"_npi_{name}_scalar", f"_{base}_scalar", dtype=one_dtype).name
    for name, base in _THE_SAME.items():
        yield derived(name, base).name
    yield derived("_npi_logical_not", "logical_not", dtype=one_dtype).name
    for name, base in _UNARY.items():
        yield derived(name, base, *_ALIASES.get(name, ()), dtype=same).name


NAMES = tuple(_names())
"""All operators that are derived here."""
