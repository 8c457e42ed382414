"""Functions that call the C library on processors compute by programs of their own on a GPU."""

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest

from gluonic.codegen import operator_on_device
from gluonic.device import DeviceArray
from gluonic.graph import Run
from gluonic.graph.random_source import RandomSource
from tests.codegen.cuda.devices import Array, emulated, moved
from tests.codegen.harness import ulps
from tests.graph.applying import application

_DIGITS = 400
"""What angles of 2 ** 1024 need."""


def _computed(name: str, *arrays: Array, **settings: Any) -> Array:
    run = Run(train=False, random=RandomSource(1))
    (found,) = operator_on_device(application(name, len(arrays), settings))(
        moved(arrays), run, emulated()
    )
    return found.to_host()


def _any_bits(dtype: Any, count: int) -> Array:
    size = np.dtype(dtype).itemsize
    bits = np.random.default_rng(size).integers(0, 2 ** (8 * size) - 1, count, dtype=f"u{size}")
    return bits.view(dtype)


def _exactly(function: Callable[[Any], Any], value: Any) -> np.longdouble:
    with mpmath.workdps(_DIGITS):
        mantissa, exponent = mpmath.frexp(function(mpmath.mpf(float(value))))
        head = float(mantissa)
        rest = float(mantissa - mpmath.mpf(head))
    wide: np.longdouble = np.ldexp(np.longdouble(head) + np.longdouble(rest), int(exponent))
    return wide


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("name", "exact"), [("sin", mpmath.sin), ("cos", mpmath.cos), ("tan", mpmath.tan)]
)
def test_angles_of_any_size_keep_their_digits(
    name: str, exact: Callable[[Any], Any], dtype: Any
) -> None:
    quarters = np.concatenate([np.arange(1, 100), 2.0 ** np.arange(15, 60)]).astype(np.longdouble)
    near = quarters * (np.longdouble("3.14159265358979323846264338327950288") / 2)
    x = np.concatenate([near, -near, [1e22, 2.0**28, 2.0**30]]).astype(dtype)
    with np.errstate(all="ignore"):
        worst = np.array(6381956970095103.0 * 2.0**797).astype(dtype)  # of float64, next to pi / 2
    x = np.append(np.concatenate([x, _any_bits(dtype, 300)]), worst)
    x = x[np.isfinite(x)]
    error = ulps(_computed(name, x), np.array([_exactly(exact, value) for value in x]))
    assert error.max() <= 2, x[error.argmax()]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_that_are_no_numbers_have_no_sine(name: str, dtype: Any) -> None:
    assert np.isnan(_computed(name, np.array([np.inf, -np.inf, np.nan], dtype))).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_remainders_of_quotients_of_any_size_are_exact(dtype: Any) -> None:
    special = [0, -0.0, 1, -3, np.inf, -np.inf, np.nan, 1e30, -1e-30, 1e-45, 5e-324, 1e-310]
    ends = [part.ravel() for part in np.meshgrid(special, special)]
    bits = _any_bits(dtype, 1000)
    pairs = [bits, np.roll(bits, 1)]
    with np.errstate(all="ignore"):
        x, y = (np.append(a, b).astype(dtype) for a, b in zip(pairs, ends, strict=True))
        expected = np.where(y == 0, 0, np.mod(x, y))
    np.testing.assert_array_equal(_computed("_npi_mod", x, y), expected)


def test_a_new_learning_rate_needs_no_new_code(monkeypatch: pytest.MonkeyPatch) -> None:
    device, loads = emulated(), list[str]()
    load = device.load

    def counted(text: str, names: Any) -> Any:
        loads.append(text)
        return load(text, names)

    monkeypatch.setattr(device, "load", counted)
    weight, grad = (np.linspace(low, 1, 7, dtype=np.float32) for low in (0, -1))
    for rate in (0.5, 0.25, 0.125):
        found = _computed("sgd_update", weight, grad, lr=rate)
        np.testing.assert_array_equal(found, weight - np.float32(rate) * grad)
    assert len(loads) <= 1


def test_a_state_that_begins_anywhere_is_updated_in_place() -> None:
    weight, grad, whole = (np.linspace(low, 1, 9, dtype=np.float32) for low in (0, -1, 2))
    state = DeviceArray.of_host(emulated(), whole)
    part = DeviceArray(state.buffer, state.offset + whole.itemsize, (7,), whole.dtype)
    settings = {"lr": 0.5, "momentum": 0.25}
    run = Run(train=False, random=RandomSource(1))
    program = operator_on_device(application("sgd_mom_update", 3, settings))
    program([*moved([weight[:7], grad[:7]]), part], run, emulated())
    expected = whole.copy()
    expected[1:8] = np.float32(0.25) * whole[1:8] - np.float32(0.5) * grad[:7]
    np.testing.assert_array_equal(state.to_host(), expected)
