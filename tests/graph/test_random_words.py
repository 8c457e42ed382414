"""Random numbers by key and position: they are SplitMix64's, follow their distribution, and are independent."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gluonic.graph.random_keys import take_key, take_keys
from gluonic.graph.random_words import (
    AT_ONCE,
    fill_uniformly,
    kept,
    numbers_of,
    threshold_of,
    uniform,
    words_of,
)

MANY = 200_000
KEYS = st.integers(-(2**63), 2**64 - 1)
UNLIKELY = 1e-6


def generator(seed: int = 3) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def reference(key: int, count: int) -> list[int]:
    """SplitMix64 as its authors wrote it: a state that steps on."""
    found, state, everything = [], key % 2**64, 2**64 - 1
    for _ in range(count):
        state = (state + 0x9E3779B97F4A7C15) & everything
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & everything
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & everything
        found.append(z ^ (z >> 31))
    return found


def test_the_numbers_are_those_of_splitmix64() -> None:
    known = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    assert numbers_of(1234567, 5).tolist() == known


@given(KEYS, st.integers(0, 40))
def test_any_key_gives_a_sequence(key: int, count: int) -> None:
    assert numbers_of(key, count).tolist() == reference(key, count)


@given(KEYS, st.integers(0, 2 * AT_ONCE + 9), st.integers(0, AT_ONCE + 9))
def test_a_number_depends_on_its_position_alone(key: int, count: int, first: int) -> None:
    whole = numbers_of(key, first + count)
    np.testing.assert_array_equal(numbers_of(key, count, first), whole[first:])


@given(KEYS, st.integers(0, 9000), st.sampled_from(["float32", "float64"]))
def test_more_elements_begin_with_the_same_ones(key: int, count: int, dtype: str) -> None:
    more = uniform(key, (count + 2 * AT_ONCE + 1,), np.dtype(dtype))
    np.testing.assert_array_equal(uniform(key, (count,), np.dtype(dtype)), more[:count])
    np.testing.assert_array_equal(words_of(key, (count,)), words_of(key, (count + 1,))[:-1])


def test_keys_are_the_same_at_once_and_one_by_one() -> None:
    one_by_one = generator()
    each = np.array([take_key(one_by_one) for _ in range(5)], np.uint64)
    np.testing.assert_array_equal(take_keys(generator(), 5).view(np.uint64), each)
    assert len(set(each)) == 5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniform_numbers_fill_the_interval_evenly(dtype: Any) -> None:
    numbers = uniform(take_key(generator()), (MANY,), dtype)
    assert numbers.dtype == dtype
    assert 0 <= numbers.min() < 1e-3
    assert 1 - 1e-3 < numbers.max() < 1
    counts = np.histogram(numbers, 1000, (0, 1))[0]
    assert UNLIKELY < stats.chisquare(counts).pvalue < 1 - UNLIKELY
    assert stats.kstest(numbers, "uniform").pvalue > UNLIKELY


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_least_and_the_largest_bits_are_neither_zero_nor_one(dtype: str) -> None:
    numbers = np.empty(4, dtype)
    bits = np.array([0, 1, -1, -2], f"i{numbers.itemsize}")
    fill_uniformly(bits, numbers)
    assert ((numbers > 0) & (numbers < 1)).all()
    assert np.isfinite(np.log(numbers)).all()
    assert numbers[:2].max() < 1e-6
    assert 1 - numbers[2:].min() < 1e-6


@pytest.mark.parametrize("distance", [1, 2, 3, 16, 2 * AT_ONCE])
def test_elements_are_independent_of_others(distance: int) -> None:
    numbers = uniform(take_key(generator()), (MANY + distance,), np.float32)
    counts = np.histogram2d(numbers[distance:], numbers[:-distance], 20, [(0, 1), (0, 1)])[0]
    assert UNLIKELY < stats.chisquare(counts.ravel()).pvalue < 1 - UNLIKELY


@pytest.mark.parametrize("keys", ["drawn", "neighbours"])
def test_keys_give_independent_numbers(keys: str) -> None:
    drawn = take_keys(generator(), 2000) if keys == "drawn" else np.arange(2000)
    numbers = np.array([uniform(int(key), (64,), np.float32) for key in drawn])
    counts = np.histogram2d(numbers[1:].ravel(), numbers[:-1].ravel(), 20, [(0, 1), (0, 1)])[0]
    assert UNLIKELY < stats.chisquare(counts.ravel()).pvalue < 1 - UNLIKELY
    across = np.histogram(numbers[:, 5], 50, (0, 1))[0]
    assert UNLIKELY < stats.chisquare(across).pvalue < 1 - UNLIKELY


def test_every_bit_is_one_half_of_the_time() -> None:
    words = words_of(take_key(generator()), (MANY,)).view(np.uint32)
    ones = [np.count_nonzero(words >> np.uint32(bit) & np.uint32(1)) for bit in range(32)]
    for count in ones:
        assert stats.binomtest(count, MANY, 0.5).pvalue > UNLIKELY


@pytest.mark.parametrize("p", [1e-3, 0.1, 0.25, 0.5, 0.9, 0.999])
def test_as_many_are_dropped_as_asked_for(p: float) -> None:
    dropped = MANY - np.count_nonzero(kept(take_key(generator()), (MANY,), p))
    assert stats.binomtest(dropped, MANY, p).pvalue > UNLIKELY


def test_masks_of_calls_are_independent() -> None:
    random = generator()
    first, second = (kept(take_key(random), (MANY,), 0.5) for _ in range(2))
    assert stats.binomtest(np.count_nonzero(first == second), MANY, 0.5).pvalue > UNLIKELY
    runs = np.count_nonzero(first[1:] != first[:-1])
    assert stats.binomtest(runs, MANY - 1, 0.5).pvalue > UNLIKELY


@given(st.floats(0, 1))
def test_the_threshold_is_a_word(p: float) -> None:
    assert -(2**31) <= threshold_of(p) < 2**31


def test_the_ends_of_probability_drop_nothing_and_all_but_nothing() -> None:
    assert kept(1, (MANY,), 0.0).all()
    assert not kept(1, (MANY,), 1 - 1e-15).any()
