"""Special functions of few elements give SciPy's float32."""

import subprocess
import sys

import numpy as np
import pytest
import scipy.special

from gluonic.graph import few_elements
from gluonic.graph.error_function import gelu, gelu_slope
from gluonic.graph.few_elements import of_few


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing have been computed yet."""
    monkeypatch.setattr(few_elements, "Computed", type("Computed", (), {"count": 0}))


@pytest.mark.parametrize("scale", [1e-30, 1e-3, 0.1, 1, 5, 30])
@pytest.mark.parametrize("name", ["erf", "ndtr", "gammaln", "digamma"])
def test_the_functions_agree_with_scipy(name: str, scale: float) -> None:
    x = (np.random.default_rng(0).standard_normal(20_000) * scale).astype(np.float32)
    if name in ("gammaln", "digamma"):
        x = np.abs(x)
    expected = getattr(scipy.special, name)(x)
    found = of_few(name, x)
    assert found.dtype == np.float32
    np.testing.assert_array_max_ulp(found, expected, maxulp=1)
    assert np.mean(found != expected) < 1e-3


@pytest.mark.parametrize("name", ["erf", "ndtr"])
def test_limits_and_shapes_are_kept(name: str) -> None:
    x = np.array([[np.nan, np.inf, -np.inf], [-0.0, 3e38, -3e38]], np.float32)
    np.testing.assert_array_equal(of_few(name, x), getattr(scipy.special, name)(x))
    assert of_few(name, x[0, 0]).shape == ()
    assert of_few(name, x[:0]).shape == (0, 3)


def test_the_slope_of_gelu_is_that_of_the_normal_distribution() -> None:
    x = np.linspace(-20, 20, 400_001, dtype=np.float32)
    wide = x.astype(np.float64)
    density = np.exp(-0.5 * wide * wide) / np.sqrt(2 * np.pi)
    expected = scipy.special.ndtr(wide) + wide * density
    np.testing.assert_allclose(gelu_slope(x), expected, rtol=0, atol=2e-7)


def test_the_slope_of_gelu_is_flat_far_out() -> None:
    x = np.array([-np.inf, -3e38, -7, 0, 7, 3e38, np.inf, np.nan], np.float32)
    expected = np.array([0, 0, 0, 0.5, 1, 1, 1, np.nan], np.float32)
    np.testing.assert_array_equal(gelu_slope(x), expected)


def test_gelu_keeps_its_digits() -> None:
    x = np.concatenate([np.linspace(a, b, 200_001) for a, b in ((-12.5, 7), (-1e-3, 1e-3))])
    x = x.astype(np.float32)
    wide = x.astype(np.float64)
    np.testing.assert_array_max_ulp(
        gelu(x), (wide * scipy.special.ndtr(wide)).astype(np.float32), maxulp=2
    )


def test_zeros_keep_their_signs() -> None:
    assert np.signbit(of_few("erf", np.array([-0.0, 0.0], np.float32))).tolist() == [True, False]


@pytest.mark.parametrize("name", ["gammaln", "digamma"])
def test_poles_are_left_to_scipy(name: str) -> None:
    assert of_few(name, np.array([1.0, 0.0], np.float32)) is None


def test_other_functions_and_dtypes_are_left_to_scipy() -> None:
    assert of_few("erf", np.zeros(3)) is None
    assert of_few("erfinv", np.zeros(3, np.float32)) is None


def test_after_many_elements_scipy_computes_what_it_computes_faster() -> None:
    assert of_few("gammaln", np.broadcast_to(np.float32(1), (1 << 22,))) is None
    assert of_few("gammaln", np.ones(3, np.float32)) is None
    assert of_few("erf", np.zeros(3, np.float32)) is not None


def test_a_net_with_gelu_does_not_import_scipy() -> None:
    program = """
import sys
from gluonic import nd
nd.LeakyReLU(nd.ones((2, 3)), act_type="gelu").asnumpy()
nd.gammaln(nd.ones((2, 3))).asnumpy()
assert "scipy.special" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
