"""Expressions read by the emitter have NumPy's results."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.functions import NotLowered
from tests.codegen.harness import LEVELS, Array, compile_expression, target_named

_DTYPES = ("float32", "float64", "int8", "uint8", "int32", "int64", "bool")
Expression = Callable[..., Any]


def _samples(dtype: Any, seed: int) -> Array:
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2.5], dtype)
        return np.concatenate(
            [special, random.permutation(special), random.standard_normal(300) * 9]
        ).astype(dtype)
    if dtype.kind == "b":
        return random.random(316) < 0.5
    limits = np.iinfo(dtype)
    edge = np.array([limits.min, limits.max, 0, 1, 2, 3, 7, limits.max // 2], dtype)
    inner = random.integers(max(limits.min, -99), 99, 300).astype(dtype)
    return np.concatenate([edge, random.permutation(edge), inner])


_BINARY: dict[str, Expression] = {
    "add": lambda m, x, y: x + y,
    "subtract": lambda m, x, y: x - y,
    "multiply": lambda m, x, y: x * y,
    "maximum": lambda m, x, y: m.maximum(x, y),
    "minimum": lambda m, x, y: m.minimum(x, y),
    "less": lambda m, x, y: x < y,
    "greater_equal": lambda m, x, y: x >= y,
    "equal": lambda m, x, y: x == y,
    "not_equal": lambda m, x, y: x != y,
    "where": lambda m, x, y: m.where(x > y, x, y),
    "logical_and": lambda m, x, y: m.logical_and(x, y),
    "logical_or": lambda m, x, y: m.logical_or(x, y),
    "logical_xor": lambda m, x, y: m.logical_xor(x, y),
    "floor_divide": lambda m, x, y: x // y,
    "remainder": lambda m, x, y: x % y,
}


@pytest.mark.parametrize(
    "dtypes",
    [(d, d) for d in _DTYPES]
    + [("int32", "float32"), ("uint8", "int8"), ("bool", "float64"), ("int64", "int32")],
)
@pytest.mark.parametrize("name", _BINARY)
def test_binary_expressions_agree_with_numpy(name: str, dtypes: tuple[str, str]) -> None:
    if "bool" in dtypes[:1] and dtypes[1] == "bool" and name == "subtract":
        pytest.skip("NumPy has no difference of booleans")
    x, y = _samples(dtypes[0], 1), _samples(dtypes[1], 2)
    with np.errstate(all="ignore"):
        expected = _BINARY[name](np, x, y)
    got = compile_expression(_BINARY[name], dtypes, expected.dtype)(x, y)
    np.testing.assert_array_equal(got, expected)


_UNARY: dict[str, Expression] = {
    "negative": lambda m, x: -x,
    "absolute": lambda m, x: abs(x),
    "sign": lambda m, x: m.sign(x),
    "square": lambda m, x: m.square(x),
    "floor": lambda m, x: m.floor(x),
    "ceil": lambda m, x: m.ceil(x),
    "trunc": lambda m, x: m.trunc(x),
    "rint": lambda m, x: m.rint(x),
    "isnan": lambda m, x: m.isnan(x),
    "isinf": lambda m, x: m.isinf(x),
    "isfinite": lambda m, x: m.isfinite(x),
    "logical_not": lambda m, x: m.logical_not(x),
    "cubed": lambda m, x: x**3,
    "fourth": lambda m, x: x**4,
    "shifted": lambda m, x: 2 + x * 3 - 1,
    "clipped": lambda m, x: m.clip(x, 0, 2),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", [d for d in _DTYPES if d != "bool"])
@pytest.mark.parametrize("name", _UNARY)
def test_unary_expressions_agree_with_numpy(name: str, dtype: str, level: str) -> None:
    x = _samples(dtype, 3)
    with np.errstate(all="ignore"):
        expected = _UNARY[name](np, x)
    got = compile_expression(_UNARY[name], [dtype], expected.dtype, target_named(level))(x)
    if name in ("cubed", "fourth") and np.dtype(dtype).kind == "f":
        np.testing.assert_allclose(got, expected, rtol=4 * float(np.finfo(dtype).eps))
    else:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("goal", _DTYPES)
@pytest.mark.parametrize("dtype", _DTYPES)
def test_conversions_agree_with_numpy(dtype: str, goal: str) -> None:
    x = _samples(dtype, 4)
    if np.dtype(dtype).kind == "f":
        x = x[np.isfinite(x) & (np.abs(x) < 100)]
        x = np.abs(x) if goal == "uint8" else x
    got = compile_expression(lambda m, v: m.astype(v, goal), [dtype], goal)(x)
    np.testing.assert_array_equal(got, x.astype(goal))


def test_python_numbers_take_the_dtype_of_the_other_operand() -> None:
    m = Emitter(LLVMFunction(LLVMModule(host()), "f", []))
    single = m.value("%x", np.dtype(np.float32), 1)
    whole = m.value("%n", np.dtype(np.int8), 1)
    assert (single * 2.5).dtype == np.float32
    assert (1 / single).dtype == np.float32
    assert (whole + 1).dtype == np.int8
    assert (whole + 1.5).dtype == np.float64
    assert (single * np.float64(2)).dtype == np.float64
    assert (whole < 3).dtype == np.bool_
    with pytest.raises(OverflowError, match="300"):
        whole + 300
    with pytest.raises(OverflowError, match="-1"):
        m.value("%n", np.dtype(np.uint8), 1) + -1
    assert (single * 1e300).dtype == np.float32


@pytest.mark.parametrize("numbers", list(itertools.permutations((True, 1, 1.0))))
def test_equal_numbers_of_different_types_are_promoted_as_their_types(numbers: Any) -> None:
    m = Emitter(LLVMFunction(LLVMModule(host()), "f", []))
    whole = m.value("%n", np.dtype(np.int8), 1)
    for number in numbers:
        wanted = np.float64 if isinstance(number, float) else np.int8
        assert (whole + number).dtype == wanted


def test_functions_without_machine_code_are_named() -> None:
    m = Emitter(LLVMFunction(LLVMModule(host()), "f", []))
    with pytest.raises(NotLowered, match="bessel_j0"):
        m.bessel_j0(m.constant(1.0, np.float32))


def test_branching_on_values_is_refused_with_advice() -> None:
    m = Emitter(LLVMFunction(LLVMModule(host()), "f", []))
    with pytest.raises(TypeError, match="where"):
        bool(m.constant(1.0, np.float32) > 0)
