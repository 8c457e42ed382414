"""Value ranges inferred from computations, and the instructions that they save."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import FLOAT32, UNBOUNDED, Bounds, Value
from tests.codegen.harness import LEVELS, compile_expression, target_named, ulps

_ENDS = st.floats(width=32, allow_nan=False)
_BOUNDS = st.tuples(_ENDS, _ENDS).map(lambda ends: (min(ends), max(ends)))
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
_UNARY: dict[str, Callable[[Any], Any]] = {
    "negative": np.negative,
    "abs": np.abs,
    "exp": np.exp,
}


def _emitter() -> Emitter:
    return Emitter(LLVMFunction(LLVMModule(host()), "trial", []))


def _samples(bounds: Bounds) -> np.ndarray[Any, Any]:
    """Ends, zeros between, and numbers of all sizes between two."""
    low, high = np.float32(bounds[0]), np.float32(bounds[1])
    numbers = np.array([low, high, 0, -0.0, 1, -1, 1e-45, -1e-38, 3e38, np.inf, -np.inf], "f")
    share = np.linspace(0, 1, 7, dtype=np.float32)
    with np.errstate(all="ignore"):
        mixed = low * (1 - share) + high * share
    found = np.concatenate([numbers, mixed])
    return found[(found >= low) & (found <= high)]


@pytest.mark.parametrize("name", _BINARY)
@given(first=_BOUNDS, second=_BOUNDS)
def test_bounds_of_two_values_hold_for_all_numbers_between(
    name: str, first: Bounds, second: Bounds
) -> None:
    m = _emitter()
    a, b = (m.value(f"%{k}", FLOAT32, 1).within(known) for k, known in enumerate((first, second)))
    low, high = getattr(m, name)(a, b).bounds
    x, y = (part.ravel() for part in np.meshgrid(_samples(first), _samples(second)))
    with np.errstate(all="ignore"):
        got = _BINARY[name](x, y)
    got = got[~np.isnan(got)]
    assert ((low <= got) & (got <= high)).all()


@given(bounds=st.tuples(_BOUNDS, _BOUNDS, _BOUNDS))
def test_bounds_of_a_product_in_a_sum_hold_for_all_numbers_between(
    bounds: tuple[Bounds, Bounds, Bounds],
) -> None:
    m = _emitter()
    values = [m.value(f"%{k}", FLOAT32, 1).within(known) for k, known in enumerate(bounds)]
    low, high = m.fma(*values).bounds
    x, y, z = (part.ravel() for part in np.meshgrid(*map(_samples, bounds)))
    with np.errstate(all="ignore"):
        got = (x.astype(np.float64) * y + z).astype(np.float32)
    got = got[~np.isnan(got)]
    assert ((low <= got) & (got <= high)).all()


@pytest.mark.parametrize("name", _UNARY)
@given(known=_BOUNDS)
def test_bounds_of_one_value_hold_for_all_numbers_between(name: str, known: Bounds) -> None:
    m = _emitter()
    low, high = getattr(m, name)(m.value("%x", FLOAT32, 1).within(known)).bounds
    with np.errstate(all="ignore"):
        got = _UNARY[name](_samples(known))
    assert ((low <= got) & (got <= high)).all()


@given(known=_BOUNDS)
def test_a_square_is_not_negative_and_its_bounds_hold(known: Bounds) -> None:
    m = _emitter()
    low, high = m.square(m.value("%x", FLOAT32, 1).within(known)).bounds
    with np.errstate(all="ignore"):
        got = np.square(_samples(known))
    assert ((low <= got) & (got <= high)).all()
    assert low > -1e-37


@given(first=_BOUNDS, second=_BOUNDS)
def test_a_comparison_is_left_out_only_if_it_fails_for_all_numbers_between(
    first: Bounds, second: Bounds
) -> None:
    m = _emitter()
    a, b = (m.value(f"%{k}", FLOAT32, 1).within(known) for k, known in enumerate((first, second)))
    x, y = (part.ravel() for part in np.meshgrid(_samples(first), _samples(second)))
    for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
        if getattr(m, name)(a, b).is_literal:
            assert not getattr(np, name)(x, y).any()


def test_loaded_values_have_no_bounds_and_constants_have_exact_ones() -> None:
    m = _emitter()
    x: Value = m.value("%x", FLOAT32, 1)
    assert x.bounds == UNBOUNDED
    assert m.constant(0.5, "float32").bounds == (0.5, 0.5)
    assert m.constant(math.nan, "float32").bounds == UNBOUNDED
    assert (x + 1).bounds == UNBOUNDED
    assert m.clip(x, -2, 3).bounds == (-2, 3)


def test_a_limit_that_is_kept_anyway_costs_nothing() -> None:
    m = _emitter()
    x = m.tanh(m.value("%x", FLOAT32, 1))
    written = m.function.length
    assert m.clip(x, -1, 1) is x
    assert m.function.length == written


def test_the_exponential_of_a_bounded_value_takes_fewer_instructions() -> None:
    def length(bounds: Bounds) -> int:
        m = _emitter()
        m.exp(m.value("%x", FLOAT32, 1).within(bounds))
        return m.function.length

    assert length((-1, 0)) < length((-50, 50)) < length(UNBOUNDED)


def test_bounds_of_a_sum_hold_for_a_fused_multiply_add() -> None:
    m = _emitter()
    x = m.mad(m.sigmoid(m.value("%x", FLOAT32, 1)), 0.5, -1)
    written = m.function.length
    m.exp(x)
    assert m.function.length - written < 20
    assert -1.001 < x.bounds[0] < x.bounds[1] < -0.499


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("low", "high"), [(-1, 0), (0, 1), (-0.5, 0.5), (29.3, 30.1), (-79.5, -78.6), (-50, 60)]
)
def test_the_exponential_of_a_bounded_value_is_within_two_ulps(
    low: float, high: float, dtype: Any, level: str
) -> None:
    function = compile_expression(
        lambda m, x: m.exp(m.clip(x, low, high)), [dtype], dtype, target_named(level)
    )
    x = np.concatenate([np.linspace(low - 0.1, high + 0.1, 50_001), [0, -0.0, np.inf, -np.inf]])
    x = x.astype(dtype)
    exact = np.exp(np.clip(x, dtype(low), dtype(high)).astype(np.longdouble))
    assert ulps(function(x), exact).max() <= 2


@pytest.mark.parametrize("bounds", [(-1, 0), (-50, 50)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_exponential_of_a_bounded_nan_is_nan(dtype: Any, bounds: Bounds) -> None:
    function = compile_expression(lambda m, x: m.exp(m.clip(x, *bounds)), [dtype], dtype)
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    payloads = np.array([1, 0x123, 0x155, 0x1FF], bits) | np.array(np.nan, dtype).view(bits)
    assert np.isnan(function(payloads.view(dtype))).all()
    assert np.isnan(function(-payloads.view(dtype))).all()
