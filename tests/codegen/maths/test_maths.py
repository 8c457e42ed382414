"""The vector maths library against wider arithmetic: grids, special values, random bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from gluonic.graph.ops.activation import LEAKY_ACTIVATIONS
from gluonic.graph.scalar_math import M
from tests.codegen.harness import LEVELS, Array, compile_expression, target_named, ulps

Wide = Callable[[Array], Array]
one = np.longdouble(1)


def _sigmoid(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    result: Array = np.where(x < 0, small, one) / (1 + small)
    return result


def _softrelu(x: Array) -> Array:
    return np.where(np.isnan(x), x, np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


_ACCURATE: dict[str, Wide] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "softrelu": _softrelu,
    "sin": np.sin,
    "cos": np.cos,
    "cosh": np.cosh,
    "sqrt": np.sqrt,
}
# In float64 these are as good as the C library, or combine two roundings.
_LESS_ACCURATE: dict[str, Wide] = {
    "tan": np.tan,
    "sinh": np.sinh,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctan": np.arctan,
    "arcsinh": np.arcsinh,
    "arccosh": np.arccosh,
    "arctanh": np.arctanh,
    "cbrt": np.cbrt,
}
_ENDS = (np.inf, -np.inf, np.nan)
_SPECIAL = (
    "0 -0 1 -1 0.5 -0.5 2 inf -inf nan 1e-45 -1e-45 1e-40 5e-324 -5e-324 1e-310 1.1754944e-38 "
    "3.4e38 -3.4e38 1.7e308 88.7 88.8 89.3 90 -87 -88 -103 -104 -105 709.7 709.8 710.4 711 -708 "
    "-745 -746 -750 1e10 1e15 1e22 1e30 1e300 65536 16777216"
)


def _arguments(dtype: Any, count: int = 60_000) -> Array:
    """Special values, random bit patterns, and dense grids where functions bend."""
    random = np.random.default_rng(7)
    size = np.dtype(dtype).itemsize
    bits = random.integers(0, 2 ** (8 * size) - 1, count, dtype=f"u{size}").view(dtype)
    turns = np.arange(1, count // 4) * (np.pi / 2)
    spans = ((-1, 1), (-20, 20), (-110, 110), (-760, 720), (0.3, 3), (0.99, 1.01))
    with np.errstate(over="ignore"):
        parts = [np.array(_SPECIAL.split(), np.float64), turns]
        parts += [np.linspace(low, high, count) for low, high in spans]
        return np.concatenate([bits, np.concatenate(parts).astype(dtype)])


def _worst(name: str, wide: Wide, dtype: Any, level: str) -> tuple[float, str]:
    function = compile_expression(
        lambda m, x: getattr(m, name)(x), [dtype], dtype, target_named(level)
    )
    x = _arguments(dtype)
    with np.errstate(all="ignore"):
        exact = wide(x.astype(np.longdouble))
    got = function(x)
    error = ulps(got, exact)
    worst = int(np.argmax(error))
    return float(error[worst]), f"{name}({x[worst]!r}) = {got[worst]!r}, not {exact[worst]}"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", _ACCURATE)
def test_is_within_two_ulps_on_the_whole_range(name: str, dtype: Any, level: str) -> None:
    error, where = _worst(name, _ACCURATE[name], dtype, level)
    assert error <= 2, where


@pytest.mark.parametrize(("dtype", "bound"), [(np.float32, 2), (np.float64, 4)])
@pytest.mark.parametrize("name", _LESS_ACCURATE)
def test_is_close_on_the_whole_range(name: str, dtype: Any, bound: float) -> None:
    error, where = _worst(name, _LESS_ACCURATE[name], dtype, "")
    assert error <= bound, where


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sine_next_to_multiples_of_pi_keeps_its_digits(dtype: Any) -> None:
    multiples = np.concatenate([np.arange(1, 30_000), 2 ** np.arange(15, 62)]).astype(np.longdouble)
    near = (multiples * np.longdouble("3.14159265358979323846264338327950288")).astype(dtype)
    function = compile_expression(lambda m, x: m.sin(x), [dtype], dtype)
    exact = np.array([_exactly(mpmath.sin, value) for value in near])
    assert ulps(function(near), exact).max() <= 2


def _exactly(function: Any, value: Any) -> np.longdouble:
    """A function's value in 60 digits, given back in extended precision."""
    with mpmath.workdps(60):
        result = function(mpmath.mpf(float(value)))
        mantissa, exponent = mpmath.frexp(result)
        head = float(mantissa)
        rest = float(mantissa - mpmath.mpf(head))
    wide: np.longdouble = np.ldexp(np.longdouble(head) + np.longdouble(rest), int(exponent))
    return wide


def _gelu(x: Any) -> Any:
    return x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2


@pytest.mark.parametrize(
    ("name", "exact", "low"),
    [("erf", mpmath.erf, -7), ("gelu", _gelu, -38), ("erfc", mpmath.erfc, -6)],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_error_function_family_is_close_to_mpmath(
    name: str, exact: Any, low: float, dtype: Any
) -> None:
    random = np.random.default_rng(3)
    spans = ((-1.5, 1.5), (low, 7), (-1e-3, 1e-3))
    x = np.concatenate([random.uniform(a, b, 2500) for a, b in spans]).astype(dtype)
    function = compile_expression(lambda m, x: getattr(m, name)(x), [dtype], dtype)
    wide = np.array([_exactly(exact, value) for value in x])
    bound = 3 if name == "erfc" else 2
    assert ulps(function(x), wide).max() <= bound


@pytest.mark.parametrize("level", LEVELS)
def test_gelu_is_accurate_where_it_is_close_to_zero(level: str) -> None:
    x = np.random.default_rng(4).uniform(-14.6, 0, 4000).astype(np.float32)
    wide = np.array([_exactly(_gelu, value) for value in x])
    operator = LEAKY_ACTIVATIONS["gelu"].expression
    compiled = compile_expression(
        lambda m, x: operator(m, x, 0.25), [np.float32], np.float32, target_named(level)
    )
    assert ulps(compiled(x), wide).max() <= 2
    normal = x > -12.5  # NumPy's factors are no denormals
    assert ulps(operator(M, x, 0.25)[normal], wide[normal]).max() <= 2


@pytest.mark.parametrize("level", LEVELS)
def test_gelu_of_single_precision_is_within_two_ulps_of_that_of_double(level: str) -> None:
    """Dense grids: what is lost near -1.8 by a sum of wide and narrow numbers shows at few of them."""

    def compiled(dtype: Any) -> Any:
        return compile_expression(lambda m, x: m.gelu(x), [dtype], dtype, target_named(level))

    for low, high in ((-14.5, -2), (-2, -1.7), (-1.7, 0)):
        x = np.linspace(low, high, 600_000, dtype=np.float32)
        wide = compiled(np.float64)(x.astype(np.float64)).astype(np.longdouble)
        assert ulps(compiled(np.float32)(x), wide).max() <= 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_slope_of_gelu_agrees_with_numpy(dtype: Any) -> None:
    x = np.append(
        np.linspace(-8, 8, 10_001, dtype=dtype), np.array([-np.inf, np.inf, np.nan], dtype)
    )
    found = compile_expression(lambda m, x: m.gelu_slope(x), [dtype], dtype)(x)
    bound = 4e-7 if dtype == np.float32 else 1e-15
    np.testing.assert_allclose(found, M.gelu_slope(x), rtol=0, atol=bound)


def test_gelu_of_numpy_ends_as_machine_code_does() -> None:
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0], np.float32)
    np.testing.assert_array_equal(M.gelu(x), np.array([np.inf, 0, np.nan, 0, 0], np.float32))
    assert np.signbit(M.gelu(x))[[1, 3, 4]].tolist() == [True, False, True]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_error_function_family_ends_as_it_should(dtype: Any) -> None:
    x = np.array([np.inf, -np.inf, np.nan, 1e30, -1e30, 0.0, -0.0], dtype)
    expected = {
        "erf": [1, -1, np.nan, 1, -1, 0, -0.0],
        "gelu": [np.inf, -0.0, np.nan, x[3], -0.0, 0, -0.0],
    }
    for name, values in expected.items():
        got = compile_expression(lambda m, x, n=name: getattr(m, n)(x), [dtype], dtype)(x)
        np.testing.assert_array_equal(got, np.array(values, dtype))
        assert got[5:].tolist() == [0, 0]
        assert np.signbit(got[5:]).tolist() == [False, True]


_GAMMA_SPANS = ((0, 3), (0.9, 1.1), (1.9, 2.3), (3, 20), (20, 171), (-1e-10, 1e-10), (-40, 0))
_GAMMA_FAMILY: dict[str, Callable[[Any], Any]] = {
    "gamma": mpmath.gamma,
    "gammaln": lambda x: mpmath.re(mpmath.loggamma(x)),
}


@pytest.mark.parametrize(("dtype", "bound"), [(np.float32, 1), (np.float64, 6)])
@pytest.mark.parametrize("name", _GAMMA_FAMILY)
def test_gamma_and_its_logarithm_are_close_to_mpmath(name: str, dtype: Any, bound: float) -> None:
    random = np.random.default_rng(8)
    x = np.concatenate([random.uniform(a, b, 300) for a, b in _GAMMA_SPANS]).astype(dtype)
    exact = np.array([_exactly(_GAMMA_FAMILY[name], value) for value in x])
    function = compile_expression(lambda m, x: getattr(m, name)(x), [dtype], dtype)
    error = ulps(function(x), exact)
    if name == "gammaln":  # negative roots are not kept exactly
        error[(x < -1) & (abs(exact) < 0.5)] = 0
    assert error.max() <= bound, x[error.argmax()]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gamma_and_its_logarithm_end_as_in_c(dtype: Any) -> None:
    x = np.array([0.0, -0.0, -1, -2, np.inf, -np.inf, np.nan, 200, 1e30], dtype)
    inf, nan = np.inf, np.nan
    expected = {
        "gamma": [inf, -inf, nan, nan, inf, nan, nan, inf, inf],
        "gammaln": [inf, inf, inf, inf, inf, inf, nan, 857.9336698258574, 6.807755278982137e31],
    }
    for name, values in expected.items():
        got = compile_expression(lambda m, x, n=name: getattr(m, n)(x), [dtype], dtype)(x)
        np.testing.assert_allclose(got, np.array(values, dtype), rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_inverse_of_erf_is_close_to_mpmath(dtype: Any) -> None:
    random = np.random.default_rng(9)
    spans = ((-1, 1), (0.99, 1), (1 - 1e-6, 1), (-1e-5, 1e-5))
    x = np.concatenate([random.uniform(a, b, 300) for a, b in spans]).astype(dtype)
    x = x[abs(x) < 1]
    exact = np.array([_exactly(mpmath.erfinv, value) for value in x])
    function = compile_expression(lambda m, x: m.erfinv(x), [dtype], dtype)
    assert ulps(function(x), exact).max() <= 3
    ends = np.array([1, -1, 0, -0.0, 1.5, np.nan], dtype)
    np.testing.assert_array_equal(
        function(ends), np.array([np.inf, -np.inf, 0, -0.0, np.nan, np.nan], dtype)
    )


_PSI_SPANS = ((0, 1), (1, 2), (1.46, 1.4634), (2, 12), (1e3, 1e6), (-6, -0.01))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "order"), [("digamma", 0), ("trigamma", 1)])
def test_derivatives_of_gammaln_are_close_to_mpmath(name: str, order: int, dtype: Any) -> None:
    random = np.random.default_rng(6)
    x = np.concatenate([random.uniform(a, b, 800) for a, b in _PSI_SPANS]).astype(dtype)
    exact = np.array([_exactly(lambda value: mpmath.psi(order, value), value) for value in x])
    function = compile_expression(lambda m, x: getattr(m, name)(x), [dtype], dtype)
    error = ulps(function(x), exact)
    assert error[x > 0].max() <= 4
    assert error[(x < 0) & (abs(exact) > 0.5)].max() <= 8  # negative roots are not kept exactly


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_derivatives_of_gammaln_have_the_limits_of_the_interpreter(dtype: Any) -> None:
    x = np.array([0.0, -0.0, -1, -2, np.inf, np.nan, 1e-40, -1e-40], dtype)
    assert (M.digamma(x[:4]) == np.inf).all()  # as MXNet, where SciPy differs
    for name, wide in {"digamma": M.digamma(x), "trigamma": M.polygamma(1, x)}.items():
        got = compile_expression(lambda m, x, n=name: getattr(m, n)(x), [dtype], dtype)(x)
        with np.errstate(over="ignore"):
            np.testing.assert_allclose(got, wide.astype(dtype), rtol=1e-6)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_power_is_within_two_ulps_and_follows_c_in_all_special_cases(
    dtype: Any, level: str
) -> None:
    random = np.random.default_rng(5)
    count = 40_000
    special = np.array([0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, *_ENDS, 1e30, 1e-30], dtype)
    special_x, special_y = (a.ravel() for a in np.meshgrid(special, special))
    arguments = [
        (np.exp(random.uniform(-5, 5, count)), random.uniform(-50, 50, count)),
        (1 + random.uniform(-0.1, 0.1, count), random.uniform(-5000, 5000, count)),
        (random.uniform(-10, 10, count), random.integers(-20, 20, count)),
        (np.exp(random.uniform(-80, 80, count)), random.uniform(-1, 1, count)),
        (special_x, special_y),
    ]
    x, y = (np.concatenate(part).astype(dtype) for part in zip(*arguments, strict=True))
    function = compile_expression(
        lambda m, x, y: m.power(x, y), [dtype, dtype], dtype, target_named(level)
    )
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
    got = function(x, y)
    assert ulps(got, exact).max() <= 2
    decided = ~np.isnan(exact)
    np.testing.assert_array_equal(np.signbit(got)[decided], np.signbit(exact)[decided])


@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide", "hypot", "logaddexp"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_two_floats_agree_with_numpy(name: str, dtype: Any) -> None:
    random = np.random.default_rng(6)
    special = np.array([0, -0.0, 1, -1, 3, -3, *_ENDS, 1e30, -1e-30], dtype)
    special_x, special_y = (a.ravel() for a in np.meshgrid(special, special))
    x = np.concatenate([special_x, random.uniform(-100, 100, 5000)]).astype(dtype)
    y = np.concatenate([special_y, random.uniform(-7, 7, 5000)]).astype(dtype)
    got = compile_expression(lambda m, x, y: getattr(m, name)(x, y), [dtype, dtype], dtype)(x, y)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x, y)
    if name in ("hypot", "logaddexp"):
        np.testing.assert_allclose(
            got, expected, rtol=20 * np.finfo(dtype).eps, atol=np.finfo(dtype).eps
        )
    else:
        np.testing.assert_array_equal(got, expected)
        decided = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(got)[decided], np.signbit(expected)[decided])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "sin"])
def test_a_lane_does_not_depend_on_its_neighbours(name: str, dtype: Any, level: str) -> None:
    random = np.random.default_rng(8)
    moderate = random.uniform(-700 if dtype == np.float64 else -86, 86, 64)
    extreme = np.array([np.inf, -np.inf, np.nan, 1e30, -1e30, 89, -95, 710, -720], dtype)
    function = compile_expression(
        lambda m, x: getattr(m, name)(x), [dtype], dtype, target_named(level)
    )
    alone = np.array([function(np.full(1, value, dtype))[0] for value in moderate])
    for value in extreme:
        mixed = np.repeat(moderate.astype(dtype), 2)
        mixed[1::2] = value
        assert function(mixed)[::2].tobytes() == alone.tobytes()
    assert function(moderate.astype(dtype)).tobytes() == alone.tobytes()
