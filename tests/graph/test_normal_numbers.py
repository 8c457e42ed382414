"""Normal and exponential numbers by key and position: inverses of their distributions, tails included."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import erfc, findroot, mp, mpf, sqrt
from scipy import stats

from gluonic.graph.normal_numbers import (
    MIDDLE,
    exponential,
    fill_exponentially,
    fill_normally,
    normal,
)
from gluonic.graph.random_words import AT_ONCE

MANY = 400_000
UNLIKELY = 1e-6
FORMATS = {"float32": "int32", "float64": "int64"}
PRECISION = {"float32": 5e-7, "float64": 2e-15}
FAR = {"float32": 6.3379574, "float64": 9.1552936}
KEYS = st.integers(-(2**63), 2**64 - 1)
dtypes = pytest.mark.parametrize("dtype", FORMATS)


def filled(fill: Any, bits: Any, dtype: str) -> Any:
    integers = np.array(bits, FORMATS[dtype])
    found = np.empty(integers.size, dtype)
    fill(integers, found)
    return found


def bits_to_try(dtype: str) -> list[int]:
    """Integers at the ends, on both sides of zero and of the middle, and of all sizes between."""
    width = 8 * np.dtype(dtype).itemsize
    last, edge = (1 << (width - 1)) - 1, int(MIDDLE * (1 << width))
    sizes = [1 << k for k in range(width - 1)]
    positive = [0, *sizes, *(last - size for size in sizes), last, edge - 9, edge + 9]
    positive += [last * k // 97 for k in range(97)]
    return [*positive, *(~bits for bits in positive)]


def exact_normal(bits: int, width: int) -> Any:
    """The number beyond which the probability lies that the bits leave."""
    with mp.workdps(40):
        left = (mpf((1 << (width - 1)) - 1 - (bits ^ (-1 if bits < 0 else 0))) + 0.5) / 2**width
        start = float(-stats.norm.ppf(float(left)))
        size = findroot(lambda z: erfc(z / sqrt(mpf(2))) / 2 / left - 1, start, tol=mpf(10) ** -36)
        return -size if bits < 0 else size


@dtypes
def test_numbers_are_the_inverse_of_the_distribution(dtype: str) -> None:
    bits = bits_to_try(dtype)
    width = 8 * np.dtype(dtype).itemsize
    for got, tried in zip(filled(fill_normally, bits, dtype), bits, strict=True):
        expected = exact_normal(tried, width)
        assert abs(mpf(float(got)) / expected - 1) < PRECISION[dtype], tried


@dtypes
def test_opposite_bits_give_opposite_numbers(dtype: str) -> None:
    bits = np.array(bits_to_try(dtype), FORMATS[dtype])
    one, other = (filled(fill_normally, b, dtype) for b in (bits, ~bits))
    np.testing.assert_allclose(one, -other, rtol=PRECISION[dtype])
    assert (one != 0).all()


@dtypes
def test_numbers_grow_with_the_bits_beyond_rounding(dtype: str) -> None:
    bits = np.unique(np.array(bits_to_try(dtype), FORMATS[dtype]))
    found = filled(fill_normally, bits, dtype).astype(np.float64)
    assert (np.diff(found) > -PRECISION[dtype] * np.abs(found[1:])).all()


@dtypes
def test_tails_reach_as_far_as_the_bits_and_have_no_steps_before(dtype: str) -> None:
    limit = np.iinfo(FORMATS[dtype])
    np.testing.assert_allclose(
        filled(fill_normally, [limit.min, limit.max], dtype), [-FAR[dtype], FAR[dtype]], rtol=1e-6
    )
    beyond = filled(fill_normally, limit.max - np.arange(1000, dtype=FORMATS[dtype]), dtype)
    if dtype == "float32":
        assert np.unique(beyond).size > 990  # the last ones are as far apart as the bits
    steps = filled(fill_normally, limit.max - (np.arange(1000) << (limit.bits - 20)), dtype)
    assert np.unique(steps).size == 1000


@dtypes
def test_normal_numbers_have_the_moments_and_the_shape_of_the_distribution(dtype: str) -> None:
    numbers = normal(2024, (MANY,), np.dtype(dtype))
    assert numbers.dtype == dtype
    wide = numbers.astype(np.float64)
    # The standard errors of the first moments of normal numbers.
    for power, mean, variance in [(1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96), (6, 15, 10170)]:
        assert abs((wide**power).mean() - mean) < 5 * np.sqrt(variance / MANY), power
    assert stats.kstest(wide, "norm").pvalue > UNLIKELY
    counts = np.histogram(stats.norm.cdf(wide), 500, (0, 1))[0]
    assert UNLIKELY < stats.chisquare(counts).pvalue < 1 - UNLIKELY
    for limit in (2, 3, 3.5, 4):
        beyond = stats.binomtest(int((np.abs(wide) > limit).sum()), MANY, 2 * stats.norm.sf(limit))
        assert beyond.pvalue > UNLIKELY


@dtypes
def test_exponential_numbers_follow_the_distribution(dtype: str) -> None:
    numbers = exponential(7, (MANY,), np.dtype(dtype)).astype(np.float64)
    assert numbers.min() >= 0
    assert abs(numbers.mean() - 1) < 5 / np.sqrt(MANY)
    assert stats.kstest(numbers, "expon").pvalue > UNLIKELY
    limit = np.iinfo(FORMATS[dtype])
    largest = filled(fill_exponentially, [limit.min, limit.max, 0, -1], dtype)
    np.testing.assert_allclose(largest[:2], np.log(2.0) * limit.bits, rtol=1e-6)
    assert (largest[2:] < 1e-6).all()


@pytest.mark.parametrize("distance", [1, 2, 16, 2 * AT_ONCE])
@dtypes
def test_neighbours_are_independent(dtype: str, distance: int) -> None:
    numbers = normal(11, (MANY + distance,), np.dtype(dtype)).astype(np.float64)
    one, other = (stats.norm.cdf(x) for x in (numbers[distance:], numbers[:-distance]))
    counts = np.histogram2d(one, other, 20, [(0, 1), (0, 1)])[0]
    assert UNLIKELY < stats.chisquare(counts.ravel()).pvalue < 1 - UNLIKELY


@given(KEYS, st.integers(0, 9000), st.sampled_from([*FORMATS]))
def test_more_elements_begin_with_the_same_ones(key: int, count: int, dtype: str) -> None:
    for draw in (normal, exponential):
        more = draw(key, (count + 2 * AT_ONCE + 1,), np.dtype(dtype))
        some = draw(key, (count,), np.dtype(dtype))
        # The library may compute what is left over of a register otherwise.
        np.testing.assert_allclose(
            some, more[:count], rtol=4 * float(np.finfo(dtype).eps), atol=1e-7
        )
