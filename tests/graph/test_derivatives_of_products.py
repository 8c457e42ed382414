"""Derivatives of products up to the third order are exact, however many factors are zero."""

from collections.abc import Callable, Sequence
from itertools import permutations
from math import prod
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd
from gluonic.gluon import nn
from gluonic.graph.other_factors import derivatives_of_product
from tests.graph.registry_samples import Array

_FACTORS = np.array([[2.0, -3, 5, 7], [1, 4, -2, 3], [6, 1, 1, -1]])
_DIRECTIONS = [np.array([[1.0, 2, -1, 3], [2, 1, 4, -2], [1, 1, 2, 5]]) + i for i in range(2)]
_ZEROS: list[tuple[int, ...]] = [(), (1,), (0, 2), (0, 1, 3), (0, 1, 2, 3)]


def _along_all(factors: Sequence[float], directions: Sequence[Sequence[float]]) -> list[float]:
    """The derivative of a product along the directions and along each factor, from its definition."""
    count = len(factors)

    def along(chosen: Sequence[int]) -> float:
        rest = [factors[k] for k in range(count) if k not in chosen]
        ways = zip(directions, chosen[1:], strict=True)
        return prod(rest) * prod(u[k] for u, k in ways)

    orders = [*permutations(range(count), 1 + len(directions))]
    return [sum(along(order) for order in orders if order[0] == i) for i in range(count)]


def _expected(factors: Array, directions: Sequence[Array]) -> Array:
    rows = zip(factors, *directions, strict=True)
    return np.array([_along_all(row, others) for row, *others in rows])


def _with_zeros(places: Sequence[int]) -> Array:
    found = _FACTORS.copy()
    found[:2, places] = 0
    return found


_PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {
    "prod": lambda F, x: F.prod(x, axis=1),
    "prod, the other axis named": lambda F, x: F.prod(x, axis=0, exclude=True, keepdims=True),
    "nanprod": lambda F, x: F.nanprod(x, axis=-1),
    "np.prod": lambda F, x: F.np.prod(x.as_np_ndarray(), axis=1).as_nd_ndarray(),
    "half of np.prod": lambda F, x: (
        2 * F.np.prod(x.as_np_ndarray(), axis=1, initial=0.5, keepdims=True).as_nd_ndarray()
    ),
}


@pytest.mark.parametrize("is_hybridized", [False, True])
@pytest.mark.parametrize("places", _ZEROS, ids=str)
@pytest.mark.parametrize("product", _PRODUCTS.values(), ids=_PRODUCTS)
def test_three_orders_are_exact(
    product: Callable[[Any, Any], Any], places: tuple[int, ...], is_hybridized: bool
) -> None:
    net = nn.HybridLambda(product)
    if is_hybridized:
        net.hybridize(compile_at_once=True)
    factors = _with_zeros(places)
    x = nd.array(factors, dtype="float64")
    x.attach_grad()
    with autograd.record():
        value = net(x)
        for order in range(3):
            (value,) = autograd.grad(value, [x], create_graph=True)
            expected = _expected(factors, _DIRECTIONS[:order])
            np.testing.assert_allclose(value.asnumpy(), expected, rtol=1e-12)
            if order < 2:
                value = value * nd.array(_DIRECTIONS[order], dtype="float64")


def test_nan_is_no_factor_of_nanprod() -> None:
    x = nd.array([np.nan, 0, 3, 0], dtype="float64")
    x.attach_grad()
    with autograd.record():
        (slope,) = autograd.grad(nd.nanprod(x), [x], create_graph=True)
        first = slope[1]
    first.backward()
    assert slope.asnumpy().tolist() == [0, 0, 0, 0]
    assert x.grad.asnumpy().tolist() == [0, 0, 0, 3]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 13])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_a_product_without_axes_left_or_of_any_length(count: int, dtype: str) -> None:
    x = mx.np.ones((count,), dtype=dtype)
    x[0] = 0
    x.attach_grad()
    with autograd.record():
        (slope,) = autograd.grad(mx.np.prod(x), [x], create_graph=True)
        total = slope.sum()
    total.backward()
    assert slope.asnumpy().tolist() == [1, *[0] * (count - 1)]
    assert x.grad.asnumpy().tolist() == [count - 1, *[1] * (count - 1)]
    assert x.grad.dtype == dtype


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 2), (0, 1, 2)])
def test_no_factors_have_no_derivatives(axes: tuple[int, ...]) -> None:
    nothing = np.zeros((2, 0, 3))
    assert derivatives_of_product(nothing, [nothing], axes).shape == nothing.shape
