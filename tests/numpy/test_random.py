"""Random numbers in graphs, whose shapes follow from arrays."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx

SHAPES = [((2,), (2, 2)), ((3, 2), (2, 2)), ((2,), (3, 2, 2)), ((3, 2), (4, 3, 2, 2))]


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
