"""Sums of float32 are nearly as near to those of float64 as MXNet's, along whichever axes they are taken."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic import autograd, nd
from gluonic.graph.summation import total, total_like, total_of_squares_like
from tests.graph.applying import apply

Array = np.ndarray[Any, Any]
EPSILON = float(np.finfo(np.float32).eps)
# How far sums may be off, in units of the sum of absolute values; half of it is the rounding of the result.
ALLOWED = 2 * EPSILON


@st.composite
def sums(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """A shape of at most some ten thousand elements, and axes."""
    lengths = st.sampled_from((0, 1, 2, 3, 7, 8, 9, 16, 17, 40, 100, 1000, 5000))
    shape: list[int] = []
    for length in draw(st.lists(lengths, min_size=1, max_size=5)):
        shape.append(length if prod(shape) * length <= 40_000 else 2)
    axes = draw(st.permutations(range(len(shape))))[: draw(st.integers(0, len(shape)))]
    backwards = draw(st.booleans())  # counted from the last
    return tuple(shape), tuple(axis - len(shape) if backwards else axis for axis in axes)


def numbers(shape: Sequence[int], seed: int) -> Array:
    return np.random.default_rng(seed).uniform(-1, 2, shape).astype(np.float32)


@settings(max_examples=300, deadline=None)
@given(case=sums(), keepdims=st.booleans(), seed=st.integers(0, 9), turned=st.booleans())
def test_a_sum_is_close_to_that_in_float64(
    case: tuple[tuple[int, ...], tuple[int, ...]], keepdims: bool, seed: int, turned: bool
) -> None:
    shape, axes = case
    data = numbers(shape[::-1], seed).T if turned else numbers(shape, seed)
    exact = data.astype(np.float64).sum(axis=axes, keepdims=keepdims)
    sizes = np.abs(data.astype(np.float64)).sum(axis=axes, keepdims=keepdims)
    found = total(data, axes, keepdims)
    assert found.shape == exact.shape
    assert (np.abs(found - exact) <= ALLOWED * sizes).all()
    assert total_like(data, axes, keepdims).dtype == np.float32


@settings(max_examples=200, deadline=None)
@given(case=sums(), keepdims=st.booleans(), seed=st.integers(0, 9), turned=st.booleans())
def test_a_sum_of_squares_is_close_to_that_in_float64(
    case: tuple[tuple[int, ...], tuple[int, ...]], keepdims: bool, seed: int, turned: bool
) -> None:
    shape, axes = case
    data = numbers(shape[::-1], seed).T if turned else numbers(shape, seed)
    exact = np.square(data.astype(np.float64)).sum(axis=axes, keepdims=keepdims)
    found = total_of_squares_like(data, axes, keepdims)
    assert found.shape == exact.shape
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, rtol=2 * ALLOWED)


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float64", "bool"])
def test_sums_of_other_dtypes_are_those_of_numpy(dtype: str) -> None:
    data = numbers((300, 7, 5), 0).astype(dtype)
    np.testing.assert_array_equal(total(data, (0, 2)), data.sum(axis=(0, 2)))


def test_float16_is_added_up_in_float32() -> None:
    data = numbers((5000, 3), 0).astype(np.float16)
    np.testing.assert_allclose(total(data, (0,)), data.astype(np.float64).sum(0), rtol=1e-5)


LARGE = (20_000, 12)
IMAGES = (40, 6, 20, 20)

# operators that add up over leading or inner axes: name, shapes of inputs, attributes, output
REDUCING: list[tuple[str, list[tuple[int, ...]], dict[str, Any], int]] = [
    ("sum", [LARGE], {"axis": 0}, 0),
    ("sum", [IMAGES], {"axis": 1, "exclude": True}, 0),
    ("mean", [LARGE], {"axis": 0}, 0),
    ("mean", [IMAGES], {"axis": (0, 2)}, 0),
    ("nansum", [LARGE], {"axis": 0}, 0),
    ("norm", [LARGE], {"axis": 0}, 0),
    ("norm", [LARGE], {"axis": 0, "ord": 1}, 0),
    ("_square_sum", [LARGE], {"axis": 0}, 0),
    ("moments", [LARGE], {"axes": 0}, 0),
    ("moments", [LARGE], {"axes": 0}, 1),
    ("softmax", [LARGE], {"axis": 0}, 0),
    ("log_softmax", [LARGE], {"axis": 0}, 0),
    ("softmin", [LARGE], {"axis": 0}, 0),
    ("L2Normalization", [(2, 3000, 7, 3)], {"mode": "channel"}, 0),
    ("LayerNorm", [LARGE, LARGE[:1], LARGE[:1]], {"axis": 0}, 0),
    ("LayerNorm", [LARGE, LARGE[1:], LARGE[1:]], {"axis": -1}, 0),
    ("InstanceNorm", [IMAGES, (6,), (6,)], {}, 0),
    ("_reduce_like", [LARGE, (1, 12)], {}, 0),
    ("_reduce_like", [IMAGES, (6, 1, 1)], {}, 0),
    ("_backward_tile", [LARGE, (1, 12)], {"reps": (20_000, 1)}, 0),
    ("_backward_repeat", [LARGE, (1, 12)], {"repeats": 20_000, "axis": 0}, 0),
]


@pytest.mark.parametrize(
    ("name", "shapes", "attributes", "output"),
    REDUCING,
    ids=[f"{name}-{i}" for i, (name, *_) in enumerate(REDUCING)],
)
def test_operators_that_add_up_float32_are_as_accurate(
    name: str, shapes: list[tuple[int, ...]], attributes: dict[str, Any], output: int
) -> None:
    inputs = [numbers(shape, i) for i, shape in enumerate(shapes)]
    found = apply(name, *inputs, **attributes)
    exact = apply(name, *(x.astype(np.float64) for x in inputs), **attributes)
    if isinstance(found, list):
        found, exact = found[output], exact[output]
    assert found.dtype == np.float32
    assert np.abs(found - exact).max() <= 4 * ALLOWED * np.abs(exact).max()


def gradient(function: Any, dtype: str, *shapes: tuple[int, ...]) -> Array:
    """The gradient of the first of several arrays, with a head of its own."""
    arrays = [nd.array(numbers(shape, i), dtype=dtype) for i, shape in enumerate(shapes)]
    arrays[0].attach_grad()
    with autograd.record():
        result = function(*arrays)
    result.backward(nd.array(numbers(result.shape, 9), dtype=dtype))
    found: Array = arrays[0].grad.asnumpy()
    return found


def convolved(bias: Any, data: Any, weight: Any) -> Any:
    return nd.Convolution(data, weight * 0, bias, kernel=(1, 1), num_filter=5)


def normalized(beta: Any, data: Any, gamma: Any) -> Any:
    return nd.BatchNorm(data, gamma, beta, nd.zeros_like(beta), nd.ones_like(beta), fix_gamma=False)


GRADIENTS: dict[str, tuple[Any, list[tuple[int, ...]]]] = {
    "a factor": (lambda a, b: a * b, [(1, 12), LARGE]),
    "a term": (lambda a, b: a + b, [(1, 12), LARGE]),
    "a divisor": (lambda a, b: b / (a + 5), [(1, 12), LARGE]),
    "broadcast_to": (lambda a: a.broadcast_to(LARGE), [(1, 12)]),
    "tile": (lambda a: nd.tile(a, (20_000, 1)), [(1, 12)]),
    "repeat": (lambda a: nd.repeat(a, 20_000, axis=0), [(1, 12)]),
    "the bias of a dense layer": (
        lambda b, x, w: nd.FullyConnected(x, w * 0, b, num_hidden=12),
        [(12,), (20_000, 3), (12, 3)],
    ),
    "the bias of a convolution": (convolved, [(5,), (40, 3, 20, 20), (5, 3, 1, 1)]),
    "beta of a batch norm": (normalized, [(6,), IMAGES, (6,)]),
    "softmax": (lambda x: nd.softmax(x, axis=0), [LARGE]),
}


@pytest.mark.parametrize("case", GRADIENTS)
def test_gradients_that_add_up_float32_are_as_accurate(case: str) -> None:
    function, shapes = GRADIENTS[case]
    found, exact = (gradient(function, dtype, *shapes) for dtype in ("float32", "float64"))
    assert np.abs(found - exact).max() <= 4 * ALLOWED * np.abs(exact).max()
