"""What is drawn at random has the right distribution, and the same again from the same seed."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from gluonic.graph.errors import AttributeValueError, InferenceError
from gluonic.graph.ops.random_numbers import ARRAY_NAMES, DISTRIBUTIONS
from tests.graph.applying import apply

MANY = 20_000
# The parameters to try, and what SciPy calls the distribution.
CASES: dict[str, tuple[dict[str, float], Any]] = {
    "uniform": ({"low": -1.0, "high": 3.0}, stats.uniform(-1, 4)),
    "normal": ({"loc": 2.0, "scale": 3.0}, stats.norm(2, 3)),
    "gamma": ({"alpha": 2.5, "beta": 0.5}, stats.gamma(2.5, scale=0.5)),
    "exponential": ({"lam": 4.0}, stats.expon(scale=0.25)),
    "poisson": ({"lam": 3.0}, stats.poisson(3)),
    "negative_binomial": ({"k": 3, "p": 0.4}, stats.nbinom(3, 0.4)),
    "generalized_negative_binomial": (
        {"mu": 2.0, "alpha": 0.3},
        stats.nbinom(1 / 0.3, 1 / (1 + 0.3 * 2)),
    ),
}


def assert_drawn_from(numbers: Any, distribution: Any) -> None:
    """Compare the distribution function of what was drawn; 2 % off has a chance of 1e-6."""
    points = np.quantile(numbers, np.linspace(0.05, 0.95, 10))
    drawn = [(numbers <= point).mean() for point in points]
    np.testing.assert_allclose(drawn, distribution.cdf(points), atol=0.02)


def test_every_distribution_is_tried() -> None:
    assert {row.name for row in DISTRIBUTIONS} == CASES.keys()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_follow_the_distribution(name: str, dtype: str) -> None:
    parameters, distribution = CASES[name]
    numbers = apply(f"_random_{name}", shape=(MANY,), dtype=dtype, **parameters)
    assert numbers.dtype == dtype
    assert_drawn_from(numbers, distribution)


@pytest.mark.parametrize("name", CASES)
def test_arrays_of_parameters_make_an_array_of_distributions(name: str) -> None:
    parameters, distribution = CASES[name]
    keys = ARRAY_NAMES.get(name, tuple(parameters))
    assert len(keys) == len(parameters)
    arrays = [np.array([value, value], "float32") for value in parameters.values()]
    drawn = apply(f"_sample_{name}", *arrays, shape=MANY)
    assert (drawn.shape, drawn.dtype) == ((2, MANY), np.float32)
    for row in drawn:
        assert_drawn_from(row, distribution)
    assert not (drawn[0] == drawn[1]).all()


@pytest.mark.parametrize("name", CASES)
def test_like_takes_shape_and_dtype(name: str) -> None:
    parameters, distribution = CASES[name]
    drawn = apply(f"_random_{name}_like", np.ones((2, MANY), "float64"), **parameters)
    assert (drawn.shape, drawn.dtype) == ((2, MANY), np.float64)
    assert_drawn_from(drawn, distribution)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("uniform", {"low": 2, "high": 1}),
        ("normal", {"scale": -1}),
        ("gamma", {"alpha": 0}),
        ("exponential", {"lam": 0}),
        ("poisson", {"lam": -1}),
        ("negative_binomial", {"p": 1.5}),
        ("generalized_negative_binomial", {"alpha": -1}),
        ("randint", {"low": 3, "high": 3}),
        ("randint", {"low": 0, "high": 3, "dtype": "float32"}),
    ],
)
def test_parameters_without_a_distribution_are_refused(name: str, parameters: Any) -> None:
    with pytest.raises(AttributeValueError, match=f"_random_{name}"):
        apply(f"_random_{name}", shape=(2,), **parameters)


def test_the_distribution_without_overdispersion_is_poisson() -> None:
    drawn = apply("_random_generalized_negative_binomial", mu=3, alpha=0, shape=MANY)
    assert_drawn_from(drawn, stats.poisson(3))


def test_integers_come_from_the_whole_range() -> None:
    drawn = apply("_random_randint", low=-2, high=3, shape=MANY)
    assert drawn.dtype == np.int32
    values, counts = np.unique(drawn, return_counts=True)
    assert values.tolist() == [-2, -1, 0, 1, 2]
    assert np.abs(counts / MANY - 0.2).max() < 0.02


def test_categories_are_drawn_by_their_probabilities() -> None:
    data = np.array([[0.2, 0.0, 0.8], [0.5, 0.5, 0.0]], "float32")
    drawn, log = apply("_sample_multinomial", data, shape=MANY, get_prob=True)
    assert drawn.dtype == np.int32
    for row, chosen, logs in zip(data, drawn, log, strict=True):
        counts = np.bincount(chosen, minlength=3) / MANY
        np.testing.assert_allclose(counts, row, atol=0.02)
        np.testing.assert_allclose(logs, np.log(row[chosen]), rtol=1e-5)


def test_drawing_one_category_makes_no_axis() -> None:
    assert apply("_sample_multinomial", np.array([0.2, 0.8])).shape == (1,)
    assert apply("_sample_multinomial", np.ones((3, 2)) / 2).shape == (3,)


def test_shuffling_keeps_the_rows() -> None:
    data = np.arange(40).reshape(20, 2)
    shuffled = apply("_shuffle", data)
    assert shuffled.tolist() != data.tolist()
    assert sorted(shuffled.tolist()) == data.tolist()


def test_candidates_are_different_and_frequent_ones_come_first() -> None:
    samples, tries = apply("_sample_unique_zipfian", range_max=1000, shape=(50, 20))
    assert all(len(set(row)) == 20 for row in samples.tolist())
    assert samples.min() >= 0
    assert samples.max() < 1000
    assert (tries >= 20).all()
    assert np.median(samples) < 200
    with pytest.raises(InferenceError, match="range_max=3"):
        apply("_sample_unique_zipfian", range_max=3, shape=(1, 4))
