"""Parts of arrays on a GPU are those of arrays on the CPU, read and written."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gluonic as mx
from gluonic import autograd, nd
from gluonic.ndarray import Context

SHAPES = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)
relaxed = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def shapes_and_keys(draw: st.DrawFn) -> tuple[tuple[int, ...], Any]:
    """A shape and a basic or an advanced key into it."""
    shape = draw(SHAPES)
    basic = hnp.basic_indices(shape, allow_newaxis=False, allow_ellipsis=True)
    return shape, draw(
        st.one_of(
            basic, hnp.integer_array_indices(shape, result_shape=hnp.array_shapes(max_dims=2))
        )
    )


def _both(shape: tuple[int, ...], ctx: Context, kind: Any) -> tuple[Any, Any]:
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    return kind.array(values, ctx=mx.cpu()), kind.array(values, ctx=ctx)


@pytest.mark.parametrize("kind", [nd, mx.np], ids=["nd", "np"])
@given(shapes_and_keys())
@relaxed
def test_reading(gpu: Context, kind: Any, case: tuple[tuple[int, ...], Any]) -> None:
    shape, key = case
    here, there = _both(shape, gpu, kind)
    expected, part = here[key], there[key]
    assert part.context == gpu
    assert part.shape == expected.shape
    np.testing.assert_array_equal(part.asnumpy(), expected.asnumpy())


@pytest.mark.parametrize("kind", [nd, mx.np], ids=["nd", "np"])
@pytest.mark.parametrize("value", ["number", "host", "device", "row"])
@given(shapes_and_keys())
@relaxed
def test_writing(gpu: Context, kind: Any, value: str, case: tuple[tuple[int, ...], Any]) -> None:
    shape, key = case
    here, there = _both(shape, gpu, kind)
    part = np.zeros(shape)[key]
    numbers = -1.0 - np.full(part.shape[-1:] if value == "row" else part.shape, 1.0, np.float32)
    if value == "number":
        here[key], there[key] = 7, 7
    else:
        here[key] = numbers
        there[key] = kind.array(numbers, ctx=gpu) if value == "device" else numbers
    np.testing.assert_array_equal(there.asnumpy(), here.asnumpy())


@given(shapes_and_keys())
@relaxed
def test_gradients_of_parts(gpu: Context, case: tuple[tuple[int, ...], Any]) -> None:
    shape, key = case
    gradients = []
    for x in _both(shape, gpu, nd):
        x.attach_grad()
        with autograd.record():
            total = (x[key] * x[key]).sum()
        total.backward()
        gradients.append(x.grad.asnumpy())
    np.testing.assert_allclose(*gradients)


def test_indices_may_be_on_the_gpu(gpu: Context) -> None:
    x = nd.array([[1, 2], [3, 4], [5, 6]], ctx=gpu)
    assert x[nd.array([2, 0], ctx=gpu)].asnumpy().tolist() == [[5, 6], [1, 2]]
    y = x.as_np_ndarray()
    assert y[y > 2].tolist() == [3, 4, 5, 6]
    y[y > 4] = 0
    assert x.asnumpy().tolist() == [[1, 2], [3, 4], [0, 0]]


@pytest.mark.parametrize("key", [5, (0, 7), (0, 0, 0), [4]])
def test_indices_out_of_range_are_refused(gpu: Context, key: Any) -> None:
    x = nd.zeros((3, 2), gpu)
    with pytest.raises(IndexError):
        x[key]


def test_values_that_do_not_fit_are_refused(gpu: Context) -> None:
    x = nd.zeros((3, 2), gpu)
    with pytest.raises(ValueError, match="cannot be assigned"):
        x[0] = nd.ones((3,), gpu)
    with pytest.raises(TypeError, match="cannot be assigned"):
        x[0] = "a"
