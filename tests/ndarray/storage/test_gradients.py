"""Gradients of and into sparse arrays."""

import warnings
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd

DENSE = np.array([[0, 1.5, 0], [2, 0, 0], [0, 0, 0], [0, 0, 3]], np.float32)


def test_the_gradient_of_a_product_with_csr_stores_the_columns_that_it_has() -> None:
    x = nd.array(DENSE[:3]).tostype("csr")
    weight = nd.ones((3, 2))
    weight.attach_grad(stype="row_sparse")
    with autograd.record():
        y = nd.dot(x, weight)
    y.backward(nd.array([[1, 2], [3, 4], [5, 6]]))
    assert weight.grad.stype == "row_sparse"
    assert weight.grad.indices.asnumpy().tolist() == [0, 1]
    assert np.allclose(weight.grad.asnumpy(), DENSE[:3].T @ [[1, 2], [3, 4], [5, 6]])


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
@pytest.mark.parametrize("request_", ["write", "add"])
def test_an_embedding_gives_the_gradient_of_the_rows_that_were_looked_up(
    stype: str, request_: str
) -> None:
    weight = nd.ones((6, 2))
    weight.attach_grad(request_, stype=stype)
    for _ in range(2):
        with autograd.record():
            y = nd.Embedding(
                nd.array([[4, 1], [1, 1]]), weight, input_dim=6, output_dim=2, sparse_grad=True
            )
            loss = (
                y.sum()
                + nd.Embedding(
                    nd.array([0]), weight, input_dim=6, output_dim=2, sparse_grad=True
                ).sum()
            )
        loss.backward()
    times = 2 if request_ == "add" else 1
    assert weight.grad.stype == stype
    assert (weight.grad.asnumpy() == times * np.array([[1], [3], [0], [0], [1], [0]])).all()
    if stype == "row_sparse":
        assert weight.grad.indices.asnumpy().tolist() == [0, 1, 4]


def test_gradients_of_both_kinds_are_added_up() -> None:
    weight = nd.ones((4, 2))
    weight.attach_grad(stype="row_sparse")
    with autograd.record():
        rows = nd.Embedding(nd.array([2]), weight, input_dim=4, output_dim=2, sparse_grad=True)
        loss = rows.sum() + (weight * 0.5).sum()
    loss.backward()
    assert weight.grad.asnumpy().tolist() == [[0.5, 0.5], [0.5, 0.5], [1.5, 1.5], [0.5, 0.5]]


@pytest.mark.parametrize("kind", ["csr", "row_sparse"])
@pytest.mark.parametrize(
    "function",
    [
        lambda x: nd.sparse.square(x) * 2,
        lambda x: nd.sparse.tanh(x) + x,
        lambda x: x - nd.sparse.sin(x) * x,
        lambda x: nd.sparse.elemwise_mul(x, nd.array(np.arange(12).reshape(4, 3))),
        lambda x: x.tostype("default") * 3,
        lambda x: x[1:3] if x.stype == "csr" else nd.sparse.retain(x, nd.array([1, 3])),
    ],
)
def test_a_sparse_variable_has_the_gradient_of_a_dense_one(kind: str, function: Any) -> None:
    grads = []
    for stype in (kind, "default"):
        x = nd.array(DENSE).tostype(kind)
        if stype == "default":
            x = x.tostype("default")
        x.attach_grad()
        with autograd.record():
            y = function(x if stype == kind else x.tostype(kind))
        y.backward()
        grads.append(x.grad)
    assert grads[0].stype == kind
    assert np.allclose(grads[0].asnumpy(), grads[1].asnumpy(), atol=1e-6)


def test_grad_returns_sparse_gradients() -> None:
    weight = nd.ones((5, 2))
    weight.attach_grad()
    with autograd.record():
        y = nd.Embedding(nd.array([3]), weight, input_dim=5, output_dim=2, sparse_grad=True)
    (gradient,) = autograd.grad(y, [weight])
    assert gradient.asnumpy().tolist() == [[0, 0]] * 3 + [[1, 1], [0, 0]]


def test_marked_variables_take_sparse_buffers() -> None:
    x, buffer = nd.array(DENSE), nd.sparse.zeros("row_sparse", DENSE.shape)
    autograd.mark_variables([x], [buffer])
    with autograd.record():
        y = x * 2
    y.backward()
    assert (buffer.asnumpy() == 2).all()


def test_a_wrong_kind_of_buffer_is_refused() -> None:
    with pytest.raises(ValueError, match="coo"):
        nd.ones((2, 2)).attach_grad(stype="coo")
    with pytest.raises(mx.MXNetError, match="two axes"):
        nd.ones((2,)).attach_grad(stype="csr")


def test_a_user_defined_function_receives_dense_gradients() -> None:
    class Double(autograd.Function):
        def forward(self, x: Any) -> Any:
            return x * 2

        def backward(self, dy: Any) -> Any:
            assert dy.stype == "default"
            return dy * 2

    x = nd.array([[1, 0], [0, 3]])
    x.attach_grad()
    with autograd.record():
        y = Double()(x)
        z = nd.Embedding(nd.array([1]), y, input_dim=2, output_dim=2, sparse_grad=True)
    z.backward()
    assert x.grad.asnumpy().tolist() == [[0, 0], [2, 2]]


def test_a_gradient_of_what_was_computed_densely_is_computed_densely() -> None:
    x = nd.array([[0, 0], [4, 1], [0, 0]]).tostype("row_sparse")
    x.attach_grad()
    with autograd.record(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = nd.log(x)
    y.backward(nd.sparse.row_sparse_array(([[1.0, 2.0]], [1]), shape=(3, 2)))
    found = x.grad.asnumpy()
    assert found[1].tolist() == [0.25, 2]
    assert np.isnan(found[[0, 2]]).all()
