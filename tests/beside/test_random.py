"""`mx.random`: the seed and the samplers."""

import threading
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd
from gluonic.ndarray.random import DISTRIBUTIONS
from tests.forking import forks, is_true_in_a_child

SCALAR: dict[str, tuple[dict[str, Any], float, float]] = {  # parameters, mean, variance
    "uniform": ({"low": -1, "high": 3}, 1, 16 / 12),
    "normal": ({"loc": 2, "scale": 3}, 2, 9),
    "poisson": ({"lam": 4}, 4, 4),
    "exponential": ({"scale": 2}, 2, 4),
    "gamma": ({"alpha": 3, "beta": 2}, 6, 12),
    "negative_binomial": ({"k": 3, "p": 0.4}, 4.5, 11.25),
    "generalized_negative_binomial": ({"mu": 2, "alpha": 0.5}, 2, 4),
    "randint": ({"low": 0, "high": 10}, 4.5, 8.25),
}


def test_every_distribution_is_tested() -> None:
    assert SCALAR.keys() == DISTRIBUTIONS.keys()


@pytest.mark.parametrize("name", SCALAR)
def test_mean_and_variance(name: str) -> None:
    parameters, mean, variance = SCALAR[name]
    mx.random.seed(11)
    samples = getattr(nd.random, name)(**parameters, shape=(200, 200)).asnumpy().astype(float)
    assert samples.shape == (200, 200)
    assert abs(samples.mean() - mean) < 5 * np.sqrt(variance / samples.size)
    assert abs(samples.var() / variance - 1) < 0.05


@pytest.mark.parametrize("name", [n for n in SCALAR if n != "randint"])
def test_arrays_of_parameters_give_a_block_of_samples_each(name: str) -> None:
    parameters, mean, variance = SCALAR[name]
    arrays = {n: nd.array([[v, v]]) for n, v in parameters.items()}
    mx.random.seed(12)
    samples = getattr(nd.random, name)(**arrays, shape=(100, 100)).asnumpy().astype(float)
    assert samples.shape == (1, 2, 100, 100)
    for block in samples.reshape(2, -1):
        assert abs(block.mean() - mean) < 5 * np.sqrt(variance / block.size)


@pytest.mark.parametrize("name", SCALAR)
def test_a_seed_fixes_everything(name: str) -> None:
    def draw() -> Any:
        mx.random.seed(5)
        return getattr(mx.random, name)(**SCALAR[name][0], shape=(20,)).asnumpy()

    assert (draw() == draw()).all()
    first = draw()
    assert (first != getattr(nd.random, name)(**SCALAR[name][0], shape=(20,)).asnumpy()).any()


@pytest.mark.parametrize("seed", [0, -1, 2**40, np.int64(3), np.int32(-3)])
def test_any_integer_is_a_seed(seed: int) -> None:
    mx.random.seed(seed)
    first = nd.random.uniform(shape=(3,)).asnumpy()
    mx.random.seed(seed, ctx=mx.cpu())
    assert (nd.random.uniform(shape=(3,)).asnumpy() == first).all()


@pytest.mark.parametrize("seed", ["a", 1.5, None])
def test_other_values_are_refused_as_a_seed(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed_state"):
        mx.random.seed(seed)


def test_dropout_and_shuffling_follow_the_seed() -> None:
    def draw() -> list[Any]:
        mx.random.seed(7)
        with mx.autograd.train_mode():
            dropped = nd.Dropout(nd.ones((50,)), p=0.5)
        return [*dropped.asnumpy(), *nd.random.shuffle(nd.arange(50)).asnumpy()]

    assert draw() == draw()


def test_one_number_is_drawn_unless_a_shape_is_given() -> None:
    assert nd.random.uniform().shape == (1,)
    assert nd.random.normal(nd.zeros((2,)), nd.ones((2,))).shape == (2,)
    assert nd.random.randn(2, 3).shape == (2, 3)
    assert nd.random.uniform(shape=4).shape == (4,)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_samples_have_the_dtype_asked_for(dtype: str) -> None:
    assert nd.random.normal(shape=(2,), dtype=dtype).asnumpy().dtype == dtype
    out = nd.zeros((3,), dtype=dtype)
    assert nd.random.uniform(1, 2, out=out) is out
    assert out.asnumpy().min() >= 1


def test_a_single_vector_of_probabilities_and_a_batch() -> None:
    mx.random.seed(2)
    samples = nd.random.multinomial(nd.array([0, 0.3, 0.7]), shape=2000).asnumpy()
    assert samples.dtype == np.int32
    assert abs((samples == 2).mean() - 0.7) < 0.05
    assert set(samples) == {1, 2}
    drawn, log_likelihood = nd.random.multinomial(nd.array([[0, 1], [1, 0]]), get_prob=True)
    assert drawn.asnumpy().tolist() == [1, 0]
    assert log_likelihood.asnumpy().tolist() == [0, 0]


def test_shuffling_moves_rows() -> None:
    mx.random.seed(1)
    x = nd.arange(20).reshape((10, 2))
    shuffled = nd.random.shuffle(x).asnumpy()
    assert sorted(shuffled.tolist()) == x.asnumpy().tolist()
    assert (shuffled != x.asnumpy()).any()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("normal", (0, -1)),
        ("normal", (nd.zeros((2,)), 1)),
        ("uniform", ("a", 1)),
        ("poisson", (-1,)),
        ("randint", (5, 5)),
    ],
    ids=str,
)
def test_parameters_that_make_no_distribution_are_refused(name: str, arguments: Any) -> None:
    with pytest.raises(mx.MXNetError):
        getattr(nd.random, name)(*arguments, shape=(2,))


def test_threads_draw_from_one_stream() -> None:
    mx.random.seed(9)
    expected = np.sort(nd.random.uniform(shape=(400,)).asnumpy())
    mx.random.seed(9)
    drawn: list[Any] = []

    def work() -> None:
        for _ in range(100):
            drawn.append(float(nd.random.uniform()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == len(set(expected.tolist()))


@forks
def test_a_child_of_a_fork_goes_on_with_the_same_numbers_and_so_does_its_parent() -> None:
    def draw() -> list[float]:
        large, small = nd.random.normal(shape=(70_000,)), nd.random.uniform(shape=(3,))
        return [*large.asnumpy().tolist(), *small.asnumpy().tolist()]

    mx.random.seed(4)
    draw()
    expected = draw()
    mx.random.seed(4)
    draw()
    assert is_true_in_a_child(lambda: draw() == expected)
    assert draw() == expected


def test_only_draws_of_mxnet_consume_random_numbers() -> None:
    mx.random.seed(4)
    expected = nd.random.uniform(shape=(5,)).asnumpy()
    mx.random.seed(4)
    data = mx.gluon.data.ArrayDataset(np.arange(8, dtype="float32"))
    assert len(list(mx.gluon.data.DataLoader(data, 2, shuffle=True, num_workers=1))) == 4
    assert len(list(mx.io.NDArrayIter(np.zeros((6, 2)), batch_size=2, shuffle=True))) == 3
    np.testing.assert_array_equal(nd.random.uniform(shape=(5,)).asnumpy(), expected)


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((), {}, "missing a required argument: 'low'"),
        ((3,), {"shape": 2}, "missing a required argument: 'high'"),
        ((3, 5), {"hi": 5}, "got an unexpected keyword argument 'hi'"),
        ((3, 5), {"low": 3}, "multiple values for argument 'low'"),
        ((3, 5, 2, "int32", None, None, 1), {}, "too many positional arguments"),
    ],
)
def test_a_draw_refuses_arguments_as_functions_of_python_do(
    arguments: tuple[Any, ...], keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        nd.random.randint(*arguments, **keywords)


def test_arguments_of_a_draw_may_be_given_by_position_or_by_name() -> None:
    mx.random.seed(1)
    by_position = nd.random.randint(3, 50, (4,), "int64").asnumpy()
    mx.random.seed(1)
    by_name = nd.random.randint(dtype="int64", shape=(4,), high=50, low=3).asnumpy()
    assert by_position.tolist() == by_name.tolist()
    assert by_name.dtype == np.int64
