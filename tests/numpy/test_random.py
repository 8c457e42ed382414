"""Random numbers: those of MXNet after the same seed, and in graphs, where shapes follow from arrays."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from tests.measured import numpy_draws
from tests.measured.measure import agrees, numbers, read

MEASURED = read("numpy_draws")
DRAWINGS = numpy_draws.drawings(mx)
SHAPES = [((2,), (2, 2)), ((3, 2), (2, 2)), ((2,), (3, 2, 2)), ((3, 2), (4, 3, 2, 2))]


def _expected(case: str) -> Any:
    """What MXNet draws, and the state that it leaves; the scale of its `chisquare` is 1/2, not 2."""
    drawn = MEASURED[case]
    if case.startswith("chisquare"):
        drawn = [(4 * np.array(each)).tolist() for each in drawn[:-2]] + drawn[-2:]
    return drawn


@pytest.mark.parametrize("case", DRAWINGS)
def test_random_numbers_are_those_of_mxnet(case: str) -> None:
    assert agrees(numbers(DRAWINGS[case]()), _expected(case), 5e-5)


IN_GRAPHS: dict[str, Callable[[Any], Any]] = {
    "gamma": lambda np_: np_.random.gamma(2.5, 0.5, (3, 4)),
    "choice": lambda np_: np_._internal.choice(a=9, size=(5,), replace=False),
    "multinomial": lambda np_: np_._internal.multinomial(n=9, pvals=(0.2, 0.8), size=(3,)),
}


@pytest.mark.parametrize("name", IN_GRAPHS)
def test_a_graph_draws_the_numbers_of_eager_calls(name: str) -> None:
    draw = IN_GRAPHS[name]
    found = []
    for hybridized in (False, True):
        net = mx.gluon.nn.HybridLambda(lambda F, x: draw(F.np) + x)
        net.hybridize(hybridized)
        mx.random.seed(3)
        found.append(net(mx.np.zeros(())).asnumpy())
    np.testing.assert_array_equal(*found)


def test_gamma_numbers_have_the_mean_and_the_variance_of_their_distributions() -> None:
    mx.random.seed(4)
    shape, scale = np.array([0.3, 1.0, 7.5]), np.array([2.0, 0.5, 1.5])
    drawn = mx.np.random.gamma(mx.np.array(shape), mx.np.array(scale), (100_000, 3)).asnumpy()
    np.testing.assert_allclose(drawn.mean(0), shape * scale, rtol=0.03)
    np.testing.assert_allclose(drawn.var(0), shape * scale**2, rtol=0.06)


@pytest.mark.parametrize("chances", [[0.5, 0.6], [2.0, 0.0]])
@pytest.mark.parametrize("as_array", [False, True])
def test_probabilities_that_sum_up_to_more_than_one_are_refused(
    chances: list[float], as_array: bool
) -> None:
    with pytest.raises(ValueError, match=r"sum\(pvals"):
        mx.np.random.multinomial(5, mx.np.array(chances) if as_array else chances)


def _extents(size: Any) -> tuple[int, ...]:
    if size is None:
        return ()
    return size if isinstance(size, tuple) else (size,)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("size", [None, 1, (), (2, 3), (2, 0)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shapes", SHAPES)
def test_vectors_are_drawn_for_all_means_and_covariances(
    shapes: Any, dtype: str, size: Any, hybridized: bool
) -> None:
    mean, cov = (
        mx.np.array(np.broadcast_to(values, shape), dtype=dtype)
        for values, shape in zip((np.array([0.5, 10]), np.diag([1.0, 10])), shapes, strict=True)
    )
    net = mx.gluon.nn.HybridLambda(lambda F, m, c: F.np.random.multivariate_normal(m, c, size))
    net.hybridize(hybridized)
    drawn = net(mean, cov)
    batch = np.broadcast_shapes(shapes[0], shapes[1][:-1])
    assert drawn.shape == (*_extents(size), *batch)
    assert drawn.dtype == np.dtype(dtype)


@pytest.mark.parametrize("hybridized", [False, True])
def test_vectors_have_the_mean_and_the_covariance(hybridized: bool) -> None:
    mx.random.seed(7)
    mean, cov = np.array([1.0, -2.0]), np.array([[2.0, 0.8], [0.8, 0.5]])
    net = mx.gluon.nn.HybridLambda(lambda F, m, c: F.np.random.multivariate_normal(m, c, 20_000))
    net.hybridize(hybridized)
    drawn = net(mx.np.array(mean), mx.np.array(cov)).asnumpy()
    np.testing.assert_allclose(drawn.mean(0), mean, atol=0.05)
    np.testing.assert_allclose(np.cov(drawn.T), cov, atol=0.1)
