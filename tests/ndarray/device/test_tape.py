"""Differentiation on a GPU gives the gradients of the CPU."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd
from gluonic.ndarray import Context, NDArray


class Cube(autograd.Function):
    """A function with a gradient of its own."""

    def forward(self, x: Any) -> Any:
        """The cubes, and the double."""
        self.save_for_backward(x)
        return x**3, 2 * x

    def backward(self, cube: Any, double: Any) -> Any:
        """The gradient."""
        (x,) = self.saved_tensors
        return 3 * x * x * cube + 2 * double


COMPUTATIONS: dict[str, Callable[[NDArray], NDArray]] = {
    "a chain": lambda x: nd.exp(nd.sin(x)) * x,
    "shared": lambda x: x * x + x * nd.relu(x) - x,
    "views": lambda x: x.reshape((3, 2))[1] * x[0, :2],
    "products": lambda x: nd.dot(x, x, transpose_b=True),
    "norms": lambda x: nd.LayerNorm(x, x[0], x[1]),
    "sorted": lambda x: nd.sort(x) * x,  # has an output that is hidden, as the next
    "normalized": lambda x: nd.L2Normalization(x) * x,
    "rows": lambda x: nd.take(x, nd.array([1, 0, 1], ctx=x.context)),
    "a Function": lambda x: Cube()(x)[0],
    "there and back": lambda x: (x.as_in_context(mx.cpu()) * 2).as_in_context(x.context) * x,
    "a loop": lambda x: nd.contrib.foreach(lambda a, s: (a * s, s + a), x, x[0])[0],
    "assigned": lambda x: _assigned(x),
}


def _assigned(x: NDArray) -> NDArray:
    y = nd.zeros(x.shape, x.context)
    y[:] = x * 3
    return y * y


@pytest.mark.parametrize("name", COMPUTATIONS)
@pytest.mark.parametrize("request_", ["write", "add"])
def test_gradients(gpu: Context, name: str, request_: str) -> None:
    found = []
    for ctx in (mx.cpu(), gpu):
        x = nd.array([[0.5, -1, 2], [3, 0.25, -2]], ctx=ctx)
        x.attach_grad(request_)
        for _ in range(2):
            with autograd.record():
                y = COMPUTATIONS[name](x)
            y.backward(nd.ones(y.shape, ctx) * 0.5)
        assert x.grad.context == ctx
        found.append(x.grad.asnumpy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["a chain", "shared", "products", "views"])
def test_second_gradients(gpu: Context, name: str) -> None:
    found = []
    for ctx in (mx.cpu(), gpu):
        x = nd.array([[0.5, -1, 2], [3, 0.25, -2]], ctx=ctx)
        x.attach_grad()
        with autograd.record():
            (dx,) = autograd.grad(COMPUTATIONS[name](x), [x], create_graph=True)
            total = (dx * dx).sum()
        total.backward()
        found.append(x.grad.asnumpy())
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5)


def test_a_retained_graph_is_differentiated_again(gpu: Context) -> None:
    x = nd.array([2.0], gpu)
    x.attach_grad("add")
    with autograd.record():
        y = x * x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.asscalar() == 24
    with pytest.raises(mx.base.MXNetError, match="freed"):
        y.backward()


def test_marked_variables_have_their_buffers_there(gpu: Context) -> None:
    x, buffer = nd.array([2.0], gpu), nd.zeros((1,), gpu)
    autograd.mark_variables([x], [buffer])
    with autograd.record():
        y = x * x
    y.backward()
    assert buffer.asscalar() == 4
    assert x.grad is buffer


def test_variables_in_use_are_protected(gpu: Context) -> None:
    x = nd.array([2.0], gpu)
    x.attach_grad()
    with autograd.record():
        y = x * x
        with pytest.raises(mx.base.MXNetError, match="computational graph"):
            x += 1
    y.backward()
    assert x.grad.asscalar() == 4


def test_what_was_recorded_is_the_graph_that_it_is_on_the_cpu(gpu: Context) -> None:
    graphs = []
    for ctx in (mx.cpu(), gpu):
        net = mx.gluon.nn.Dense(3, activation="tanh", prefix="dense_")
        net.initialize(ctx=ctx)
        net.hybridize()
        with autograd.record():
            y = (net(nd.ones((2, 4), ctx)) * 2).sum()
        graphs.append(autograd.get_symbol(y).tojson())
    assert graphs[0] == graphs[1]
