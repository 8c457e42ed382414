"""Functions of one and two numbers against values measured on MXNet 1.9.1."""

from typing import Any

import numpy as np
import pytest

from gluonic.graph.arithmetic import OPERATORS
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import REGISTRY
from tests.graph.applying import apply

LHS, RHS = [-3, -1, 7, 2, 5], [2, -2, 3, 4, -3]


def integers(values: list[int], dtype: str) -> Any:
    return np.array(values).astype(dtype)


@pytest.mark.parametrize("row", OPERATORS.values(), ids=OPERATORS)
def test_operators_that_python_operators_need_exist(row: tuple[str, ...]) -> None:
    assert all(name in REGISTRY for name in row)


@pytest.mark.parametrize(
    ("name", "dtype", "expected"),
    [
        ("elemwise_div", "int32", [-1, 0, 2, 0, -1]),
        ("elemwise_div", "uint8", [126, 1, 2, 0, 0]),
        ("_mod", "int32", [1, -1, 1, 2, -1]),
        ("_mod", "uint8", [1, 1, 1, 2, 5]),
        ("_power", "int32", [9, 1, 343, 16, 0]),
        ("_power", "int8", [9, 1, 87, 16, 0]),
        ("_power", "uint8", [9, 0, 87, 16, 0]),
        ("_hypot", "uint8", [253, 103, 7, 4, 253]),
        ("_maximum", "uint8", [253, 255, 7, 4, 253]),
    ],
)
def test_integer_arithmetic_is_that_of_c(name: str, dtype: str, expected: list[int]) -> None:
    result = apply(name, integers(LHS, dtype), integers(RHS, dtype))
    assert result.dtype == dtype
    assert result.tolist() == expected


def test_integers_divided_by_zero_are_zero() -> None:
    zero = np.zeros(3, "int32")
    assert apply("elemwise_div", integers([-1, 0, 1], "int32"), zero).tolist() == [0, 0, 0]
    assert apply("_mod", integers([-1, 0, 1], "int32"), zero).tolist() == [0, 0, 0]


def test_division_of_large_integers_is_exact() -> None:
    large = np.array([2**62 + 1, -(2**62) - 1])
    assert apply("elemwise_div", large, np.array([1, 1])).tolist() == large.tolist()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("_plus_scalar", [-1, 1, 9, 4, 7]),
        ("_rminus_scalar", [5, 3, -5, 0, -3]),
        ("_mul_scalar", [-6, -2, 14, 4, 10]),
        ("_div_scalar", [-1, 0, 3, 1, 2]),
        ("_rdiv_scalar", [0, -2, 0, 1, 0]),
        ("_mod_scalar", [1, 1, 1, 0, 1]),
        ("_rmod_scalar", [-1, 0, 2, 0, 2]),
        ("_power_scalar", [9, 1, 49, 4, 25]),
        ("_rpower_scalar", [0, 0, 128, 4, 32]),
        ("_equal_scalar", [0, 0, 0, 1, 0]),
    ],
)
def test_a_fraction_beside_integers_is_dropped(name: str, expected: list[int]) -> None:
    result = apply(name, integers(LHS, "int32"), scalar=2.5)
    assert result.dtype == np.int32
    assert result.tolist() == expected


def test_a_fraction_declared_as_such_makes_integers_float64() -> None:
    result = apply("_plus_scalar", np.arange(3, dtype="int32"), scalar=2.5, is_int=False)
    assert result.dtype == np.float64
    assert result.tolist() == [2.5, 3.5, 4.5]


@pytest.mark.parametrize(("is_int", "dtype"), [(True, "int64"), (False, "float64")])
def test_a_number_combined_with_bool_gives_a_number(is_int: bool, dtype: str) -> None:
    result = apply("_plus_scalar", np.array([True, False]), scalar=2.0, is_int=is_int)
    assert (result.dtype, result.tolist()) == (np.dtype(dtype), [3, 2])


@pytest.mark.parametrize("name", ["elemwise_add", "broadcast_mul", "_maximum", "exp", "clip"])
def test_there_is_no_arithmetic_on_bool(name: str) -> None:
    arrays = [np.array([True])] * len(REGISTRY[name].inputs)
    attributes = {"a_min": 0, "a_max": 1} if name == "clip" else {}
    with pytest.raises(InferenceError, match="no arithmetic on bool"):
        apply(name, *arrays, **attributes)


def test_different_dtypes_are_refused() -> None:
    with pytest.raises(InferenceError, match=r"float32.*int32"):
        apply("broadcast_add", np.ones(2, "float32"), np.ones(2, "int32"))


def test_modulo_has_the_sign_of_the_divisor_and_zero_for_zero() -> None:
    result = apply("_mod", np.array([-3.0, -1, 0, 2, 5]), np.array([2.0, -2, 3, 0, -3]))
    assert result.tolist() == [1, -1, 0, 0, -1]


@pytest.mark.parametrize("name", ["_maximum", "_minimum"])
def test_extremes_pass_nan_on(name: str) -> None:
    assert np.isnan(apply(name, np.array([np.nan, 1]), np.array([1, np.nan]))).all()


HALVES = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("round", [-3, -2, -1, 1, 2, 3]),
        ("rint", [-3, -2, -1, 0, 1, 2]),
        ("fix", [-2, -1, 0, 0, 1, 2]),
        ("trunc", [-2, -1, 0, 0, 1, 2]),
        ("floor", [-3, -2, -1, 0, 1, 2]),
        ("ceil", [-2, -1, 0, 1, 2, 3]),
    ],
)
def test_halves_are_rounded_as_mxnet_rounds_them(name: str, expected: list[float]) -> None:
    assert apply(name, np.array(HALVES, "float32")).tolist() == expected


@pytest.mark.parametrize(
    ("name", "special", "expected"),
    [
        ("sign", [np.nan, np.inf, -np.inf, 0.0], [0, 1, -1, 0]),
        ("softsign", [1.0, -3.0], [0.5, -0.75]),
        ("gamma", [0.0, -1.0, 2.5], [np.inf, np.nan, 1.32934]),
        ("erfinv", [1.0, -1.0, 1.5], [np.inf, -np.inf, np.nan]),
        ("logical_not", [np.nan, 0.0, 2.0], [0, 1, 0]),
        ("rcbrt", [0.0, -8.0], [np.inf, -0.5]),
        ("sigmoid", [-1e4, 1e4, np.nan], [0, 1, np.nan]),
        ("relu", [np.nan, -1.0], [np.nan, 0]),
    ],
)
def test_special_values_of_functions(name: str, special: Any, expected: Any) -> None:
    result = apply(name, np.array(special, "float32"))
    np.testing.assert_allclose(result, np.array(expected, "float32"), rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "dtype", "expected"),
    [
        ("exp", "int32", [0, 1, 2, 7]),
        ("sqrt", "uint8", [15, 0, 1, 1]),
        ("degrees", "uint8", [18, 0, 57, 114]),
        ("abs", "int8", [1, 0, 1, 2]),
        ("negative", "uint8", [1, 0, 255, 254]),
    ],
)
def test_functions_of_integers_drop_the_fraction(name: str, dtype: str, expected: Any) -> None:
    assert apply(name, np.array([-1, 0, 1, 2]).astype(dtype)).tolist() == expected


def test_float16_does_not_underflow_in_the_logistic_function() -> None:
    assert apply("sigmoid", np.array([-14], "float16"))[0] == pytest.approx(8.3e-7, rel=0.05)


def test_clip_with_crossed_limits_prefers_the_upper_one() -> None:
    data = np.arange(1.0, 7.0)
    assert apply("clip", data, a_min=3, a_max=2).tolist() == [3, 3, 2, 2, 2, 2]
    assert apply("clip", data.astype("int32"), a_min=2.5, a_max=4.7).tolist() == [2, 2, 3, 4, 4, 4]


def test_smooth_l1_is_quadratic_near_zero() -> None:
    result = apply("smooth_l1", np.array([0.1, 0.25, -2, -0.25]), scalar=2)
    assert result.tolist() == pytest.approx([0.02, 0.125, 1.875, 0.125])


def test_zeros_of_both_signs_are_different_attributes() -> None:
    assert apply("_rdiv_scalar", [-2.0], scalar=0.0) == 0
    quotients = [apply("_rdiv_scalar", [2.0], scalar=zero)[0] for zero in (0.0, -0.0)]
    assert [bool(np.signbit(q)) for q in quotients] == [False, True]
