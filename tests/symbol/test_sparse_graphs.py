"""Graphs with sparse arrays: storage is inferred, gradients stay sparse, executors take and give such."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import nd, sym

X = np.array([[0, 1.5, 0, 0], [2, 0, 0, 3]], np.float32)
W = np.arange(12, dtype=np.float32).reshape(4, 3)


def product(**settings: Any) -> Any:
    return sym.sparse.dot(sym.var("x", stype="csr"), sym.var("w"), **settings)


def test_a_bound_graph_computes_with_sparse_arrays_and_gives_sparse_gradients() -> None:
    grad = nd.sparse.zeros("row_sparse", W.shape)
    executor = product().bind(
        mx.cpu(), {"x": nd.array(X).tostype("csr"), "w": nd.array(W)}, args_grad={"w": grad}
    )
    (out,) = executor.forward(is_train=True)
    assert np.allclose(out.asnumpy(), X @ W)
    executor.backward(nd.ones((2, 3)))
    assert np.allclose(grad.asnumpy(), X.T @ np.ones((2, 3)))
    assert grad.indices.asnumpy().tolist() == [0, 1, 3]


def test_simple_bind_makes_arrays_of_the_kinds_that_are_inferred() -> None:
    executor = product().simple_bind(mx.cpu(), x=(2, 4), w=(4, 3), grad_req={"w": "write"})
    assert executor.arg_dict["x"].stype == "csr"
    assert executor.arg_dict["w"].stype == "default"
    assert executor.grad_dict["w"].stype == "row_sparse"
    executor.copy_params_from({"w": nd.array(W)})
    (out,) = executor.forward(is_train=True, x=nd.array(X).tostype("csr"))
    assert np.allclose(out.asnumpy(), X @ W)
    assert executor.forward(x=nd.array(2 * X))[0].asnumpy().tolist() == (2 * X @ W).tolist()


def test_storage_types_may_be_given_by_name() -> None:
    out = sym.sparse.square(sym.var("x"))
    executor = out.simple_bind(mx.cpu(), stype_dict={"x": "row_sparse"}, x=(3, 2))
    assert executor.forward()[0].stype == "row_sparse"
    with pytest.raises(mx.MXNetError, match="no storage type"):
        out.simple_bind(mx.cpu(), stype_dict={"x": "coo"}, x=(3, 2))


@pytest.mark.parametrize("request_", ["write", "add"])
def test_an_embedding_in_a_graph_has_a_sparse_gradient(request_: str) -> None:
    out = sym.Embedding(sym.var("i"), sym.var("w"), input_dim=5, output_dim=2, sparse_grad=True)
    executor = sym.make_loss(out).simple_bind(
        mx.cpu(), i=(3,), grad_req={"w": request_, "i": "null"}
    )
    for _ in range(2):
        executor.forward(is_train=True, i=nd.array([4, 1, 4]))
        executor.backward()
    grad = executor.grad_dict["w"]
    assert grad.stype == "row_sparse"
    times = 2 if request_ == "add" else 1
    assert grad.asnumpy()[:, 0].tolist() == [0, times, 0, 0, 2 * times]


def test_a_graph_of_dense_arrays_is_still_compiled() -> None:
    executor = product().bind(mx.cpu(), {"x": nd.array(X), "w": nd.array(W)})
    assert type(executor) is mx.executor.Executor
    assert np.allclose(executor.forward()[0].asnumpy(), X @ W)


def test_an_argument_that_gets_no_gradient_has_zeros() -> None:
    out = sym.BlockGrad(sym.var("a")) + sym.var("b", stype="row_sparse")
    grads = {"a": nd.ones((2, 2)), "b": nd.ones((2, 2)).tostype("row_sparse")}
    args = {"a": nd.ones((2, 2)), "b": nd.ones((2, 2)).tostype("row_sparse")}
    executor = out.bind(mx.cpu(), args, args_grad=grads)
    executor.forward(is_train=True)
    executor.backward(nd.full((2, 2), 3))
    assert grads["a"].asnumpy().sum() == 0
    assert grads["b"].asnumpy().sum() == 12


def test_a_gradient_that_is_needed_or_has_another_shape_is_named() -> None:
    executor = product().simple_bind(mx.cpu(), x=(2, 4), w=(4, 3))
    executor.forward(is_train=True)
    with pytest.raises(mx.MXNetError, match="is needed"):
        executor.backward()
    with pytest.raises(mx.MXNetError, match="shape"):
        executor.backward(nd.ones((1, 3)))


@pytest.mark.parametrize(
    ("monitor_all", "expected"),
    [
        (False, "d_output:default t_output:default s_output:csr"),
        (
            True,
            "x:csr d_lhs:csr w:default d_rhs:default d_output:default t_input0:default t_output:default "
            "x:csr s_input0:csr s_output:csr",
        ),
    ],
)
def test_a_monitor_receives_the_forward_results_that_mxnets_receives(
    monitor_all: bool, expected: str
) -> None:
    x, w = sym.var("x", stype="csr"), sym.var("w")
    tanh = sym.tanh(sym.sparse.dot(x, w, name="d"), name="t")
    net = sym.Group([tanh, sym.sparse.square(x, name="s")])
    executor = net.simple_bind(mx.cpu(), x=(2, 4), w=(4, 3))
    seen: list[str] = []
    executor.set_monitor_callback(lambda name, a: seen.append(f"{name}:{a.stype}"), monitor_all)
    executor.forward()
    assert " ".join(seen) == expected


def heard(stype: str, watched: Any, *, runs: int = 1) -> list[tuple[str, str, Any]]:
    """What a monitor receives in a forward and a backward pass, with csr or dense batches."""
    x, w = sym.var("x", stype=stype), sym.var("w")
    pairs = sym.dot(x, w, name="d") + sym.dot(sym.square(x, name="s"), w, name="e")
    executor = sym.tanh(pairs, name="t").bind(
        mx.cpu(),
        {"x": nd.array(X).tostype(stype), "w": nd.array(W)},
        {"w": nd.zeros((4, 3)) if stype == "default" else nd.sparse.zeros("row_sparse", (4, 3))},
    )
    seen: list[tuple[str, str, Any]] = []
    executor.set_monitor_callback(lambda name, a: seen.append((name, a.stype, a.asnumpy())))
    executor.forward(is_train=True)
    for _ in range(runs):
        executor.backward(nd.ones((2, 3)))
    watched.append(executor.grad_dict["w"].asnumpy())
    return [row for row in seen if "plus" not in row[0]]


def test_a_monitor_receives_gradients_as_with_a_dense_executor() -> None:
    gradients: list[Any] = []
    dense, stored = heard("default", gradients), heard("csr", gradients)
    assert np.allclose(*gradients)
    assert [name for name, _, _ in stored] == [name for name, _, _ in dense]
    for (_, _, ours), (_, _, theirs) in zip(stored, dense, strict=True):
        assert np.allclose(ours, theirs, atol=1e-6)
    kinds = {name: kind for name, kind, _ in stored}
    assert kinds["t_backward_output"] == "default"
    assert kinds["e_backward_output1"] == kinds["d_backward_output1"] == "row_sparse"
    assert kinds["d_backward_output0"] == "csr"  # it is not asked for: nothing is stored


def test_a_monitor_receives_each_backward_run() -> None:
    once, twice = heard("csr", []), heard("csr", [], runs=2)
    back = [row for row in once if "backward" in row[0]]
    assert [name for name, _, _ in twice] == [name for name, _, _ in [*once, *back]]


def test_the_root_mean_square_of_sparse_arrays_is_that_of_all_elements() -> None:
    executor = product().simple_bind(mx.cpu(), x=(2, 4), w=(4, 3))
    executor.copy_params_from({"w": nd.array(W)})
    monitor = mx.mon.Monitor(1)
    monitor.install(executor)
    monitor.tic()
    executor.forward(is_train=True, x=nd.array(X).tostype("csr"))
    executor.backward(nd.ones((2, 3)))
    found = {name: float(text) for _, name, text in monitor.toc()}
    slope = X.T @ np.ones((2, 3))
    assert found["x"] == pytest.approx(np.sqrt((X**2).mean()), rel=1e-5)
    back = [value for name, value in found.items() if name.endswith("_backward_output1")]
    assert back == [pytest.approx(np.sqrt((slope**2).mean()), rel=1e-5)]


def test_an_executor_is_reshaped() -> None:
    executor = product().simple_bind(mx.cpu(), x=(2, 4), w=(4, 3))
    executor.copy_params_from({"w": nd.array(W)})
    other = executor.reshape(partial_shaping=True, allow_up_sizing=True, x=(3, 4))
    assert other.arg_dict["x"].stype == "csr"
    x = np.vstack([X, X[:1]])
    assert np.allclose(other.forward(x=nd.array(x).tostype("csr"))[0].asnumpy(), x @ W)
    assert other.allocated == 36


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
def test_a_module_trains_on_sparse_batches(stype: str) -> None:
    rng = np.random.default_rng(0)
    x = (rng.random((40, 20)) < 0.2).astype(np.float32)
    y = (x @ rng.normal(size=20) > 0).astype(np.float32)
    weight = sym.var("weight", stype=stype, shape=(20, 2))
    net = sym.SoftmaxOutput(
        sym.broadcast_add(
            sym.sparse.dot(sym.var("data", stype="csr"), weight), sym.var("bias", shape=(1, 2))
        ),
        sym.var("softmax_label"),
    )
    batches = mx.io.NDArrayIter(
        nd.array(x).tostype("csr"), y, 10, last_batch_handle="discard", shuffle=False
    )
    module = mx.mod.Module(net)
    module.bind(batches.provide_data, batches.provide_label)
    module.init_params(mx.init.Zero())
    module.init_optimizer(optimizer="adam", optimizer_params={"learning_rate": 0.1})
    for _ in range(15):
        batches.reset()
        for batch in batches:
            module.forward_backward(batch)
            module.update()
    assert module._exec_group is not None
    assert module._exec_group.execs[0].grad_dict["weight"].stype == "row_sparse"
    assert module.score(batches, "acc")[0][1] > 0.9
    assert module.get_params()[0]["weight"].stype == stype


@pytest.mark.parametrize("stype", ["csr", "default"])
def test_outputs_that_block_gradients_need_none(stype: str) -> None:
    """Keras trains such a graph: the predictions, blocked, beside the loss."""
    product = sym.sparse.dot(sym.var("x"), sym.var("w"))
    loss = sym.MakeLoss(sym.sum(product))
    arrays = {"x": nd.array(X).tostype(stype), "w": nd.array(W)}

    def bound(*outputs: Any) -> Any:
        request = {"x": "null", "w": "write"}
        return sym.Group(outputs).bind(
            mx.cpu(), arrays, args_grad={"w": nd.zeros(W.shape)}, grad_req=request
        )

    for outputs in ([sym.BlockGrad(product), loss], [sym.BlockGrad(product) * 2, loss]):
        executor = bound(*outputs)
        executor.forward(is_train=True)
        executor.backward()
        assert np.allclose(executor.grad_dict["w"].asnumpy(), X.T @ np.ones((2, 3)))
    executor = bound(product, loss)
    executor.forward(is_train=True)
    with pytest.raises(mx.MXNetError, match="the gradient of the output dot0_output is needed"):
        executor.backward()


def test_a_gradient_of_the_wrong_shape_names_its_output_though_a_loss_does_not_read_it() -> None:
    arrays = {"x": nd.array(X).tostype("csr"), "w": nd.array(W)}
    executor = sym.MakeLoss(product(), name="loss").bind(
        mx.cpu(), arrays, args_grad={"w": nd.zeros(W.shape)}, grad_req={"x": "null", "w": "write"}
    )
    executor.forward(is_train=True)
    with pytest.raises(mx.MXNetError, match=r"of loss_output has the shape \(5, 7\)"):
        executor.backward(nd.ones((5, 7)))
