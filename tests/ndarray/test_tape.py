"""Recording and walking back: depth, memory, threads, and what may be differentiated how often."""

import gc
import os
import threading
import weakref

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd
from tests.forking import forks, is_true_in_a_child


def variable(*values: float) -> nd.NDArray:
    x = nd.array(values)
    x.attach_grad()
    return x


def test_a_tape_of_ten_thousand_operators_needs_no_recursion() -> None:
    x = variable(1.0)
    with autograd.record():
        y = x
        for _ in range(10_000):
            y = y + x
    y.backward()
    assert x.grad.asscalar() == 10_001


@pytest.mark.parametrize("backward_first", [True, False])
def test_a_long_tape_is_released_without_recursion(backward_first: bool) -> None:
    x = variable(1.0)
    with autograd.record():
        y = x
        for _ in range(100_000):
            y = y * 1.0
    if backward_first:
        y.backward()
    del y
    gc.collect()
    assert x.grad.asscalar() == float(backward_first)


def test_backward_frees_what_it_no_longer_needs() -> None:
    x = variable(1.0)
    with autograd.record():
        y = nd.exp(x)
        z = y * 2
    record = weakref.ref(y.tape_entry[0])  # type: ignore[index]
    z.backward()
    y = y.detach()
    assert record() is None
    assert z.asscalar() > 0


def test_a_second_backward_needs_retain_graph() -> None:
    x = variable(3.0)
    with autograd.record():
        y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.asscalar() == 6
    with pytest.raises(mx.MXNetError, match="retain_graph"):
        y.backward()


def test_results_are_constants_after_a_backward_pass() -> None:
    x, state = variable(2.0), nd.ones((1,))
    for _ in range(3):  # as a recurrent state that goes from batch to batch
        with autograd.record():
            state = state * x
            loss = state * 1
        loss.backward()
    assert x.grad.asscalar() == 4


def test_gradients_are_written_added_or_omitted_as_requested() -> None:
    x = nd.array([1.0])
    x.attach_grad("add")
    for _ in range(3):
        with autograd.record():
            y = x * 2
        y.backward()
    assert x.grad.asscalar() == 6
    x.attach_grad("null")
    with autograd.record():
        y = x * 2
    with pytest.raises(mx.MXNetError, match="no inputs"):
        y.backward()
    with pytest.raises(mx.MXNetError, match="grad_req='sometimes'"):
        x.attach_grad("sometimes")


@pytest.mark.parametrize(("request_", "expected"), [("write", (3, 2)), ("add", (105, 105))])
@pytest.mark.parametrize("hybridize", [False, True])
def test_the_last_of_variables_that_share_a_buffer_writes_last(
    request_: str, expected: tuple[float, float], hybridize: bool
) -> None:
    ways = [lambda F, a, b: a * 2 + b * 3, lambda F, a, b: b * 3 + a * 2]
    for way, result in zip(ways, expected, strict=True):
        net = mx.gluon.nn.HybridLambda(way)
        if hybridize:
            net.hybridize()
        a, b, buffer = nd.ones((1,)), nd.ones((1,)), nd.array([100.0])
        autograd.mark_variables([a, b], [buffer, buffer], request_)
        with autograd.record():
            y = net(a, b)
        y.backward()
        assert buffer.asscalar() == result


def test_a_variable_that_no_gradient_reaches_gets_zeros() -> None:
    x, w = variable(1.0), variable(1.0)
    x.grad[:] = 7
    with autograd.record():
        y = nd.BlockGrad(x) * 2 + w
    y.backward()
    assert x.grad.asscalar() == 0
    assert w.grad.asscalar() == 1


def test_marking_a_result_cuts_the_graph() -> None:
    x = variable(2.0)
    with autograd.record():
        y = x * x
        y.attach_grad()
        z = y * y
    z.backward()
    assert y.grad.asscalar() == 8
    assert x.grad.asscalar() == 0


def test_gradients_come_in_the_dtype_of_their_buffer() -> None:
    x = nd.array([1.5], dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = x.astype("float32") * 2
    y.backward()
    assert x.grad.dtype is np.float64
    assert x.grad.asscalar() == 2


@pytest.mark.parametrize("change", ["copy", "as_in_context", "astype", "copyto", "T", "reshape"])
def test_copies_pass_gradients_on(change: str) -> None:
    x = variable(1.0, 2.0)
    makers = {
        "copy": lambda: x.copy(),
        "as_in_context": lambda: x.as_in_context(mx.cpu(1)),
        "astype": lambda: x.astype("float64"),
        "copyto": lambda: x.copyto(nd.zeros((2,))),
        "T": lambda: x.T,
        "reshape": lambda: x.reshape((2, 1)),
    }
    with autograd.record():
        y = makers[change]()
        z = y * 3
    z.backward()
    assert x.grad.asnumpy().tolist() == [3, 3]


def test_detached_arrays_share_memory_but_pass_no_gradient_on() -> None:
    x = variable(2.0)
    with autograd.record():
        y = x * x.detach()
    y.backward()
    assert x.grad.asscalar() == 2
    x.detach()[:] = 5
    assert x.asscalar() == 5


@pytest.mark.parametrize(
    ("head_grad", "kind"), [(nd.ones((2,)), mx.MXNetError), (np.ones(1), TypeError)]
)
def test_head_gradients_must_fit(head_grad: object, kind: type[Exception]) -> None:
    x = variable(1.0)
    with autograd.record():
        y = x * 2
    with pytest.raises(kind):
        y.backward(head_grad)


def test_threads_record_for_themselves() -> None:
    seen: list[tuple[bool, bool]] = []
    gradients: list[float] = []

    def work() -> None:
        seen.append((autograd.is_recording(), autograd.is_training()))
        x = variable(3.0)
        with autograd.record():
            y = x * x
        y.backward()
        gradients.append(float(x.grad))

    with autograd.record():
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert seen == [(False, False)] * 4
    assert gradients == [6.0] * 4


def test_operators_work_inside_operators() -> None:
    class Nested(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):  # type: ignore[no-untyped-def]
            self.assign(out_data[0], req[0], nd.exp(in_data[0] * 0) / 0)

    class NestedProp(mx.operator.CustomOpProp):
        def create_operator(self, ctx, shapes, dtypes):  # type: ignore[no-untyped-def]
            return Nested()

    mx.operator.register("nested_operators")(NestedProp)
    assert nd.Custom(nd.ones((1,)), op_type="nested_operators").asscalar() == np.inf


@forks
def test_a_forked_child_computes_and_draws_on() -> None:
    mx.random.seed(3)
    reader, writer = os.pipe()

    def computes() -> bool:
        x = variable(3.0)
        with autograd.record():
            y = x * x
        y.backward()
        os.write(writer, f"{float(nd.random.uniform())}".encode())
        return float(x.grad) == 6

    assert is_true_in_a_child(computes)
    sample = os.read(reader, 100).decode()
    assert float(sample) == float(nd.random.uniform())


@pytest.mark.parametrize("order", [1, 2])
def test_the_gradient_of_a_norm_in_another_dtype_has_that_of_the_data(order: int) -> None:
    x = variable(3.0, -4.0)
    with autograd.record():
        y = nd.norm(x, ord=order, out_dtype="float64")  # type: ignore[arg-type]
    y.backward()
    assert (y.dtype, x.grad.dtype) == (np.float64, np.float32)
    expected = [1, -1] if order == 1 else [0.6, -0.8]
    np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("numpy", [False, True])
def test_an_unwritten_buffer_is_released_with_its_graph(numpy: bool, hybridized: bool) -> None:
    x, y, unused = (nd.array([1.0, 2.0]) for _ in range(3))
    if numpy:
        x, y, unused = (array.as_np_ndarray() for array in (x, y, unused))
    for array, request in ((x, "null"), (y, "write"), (unused, "null")):
        array.attach_grad(request)
    net = mx.gluon.nn.HybridLambda(lambda F, x, y: x * y)
    net.hybridize(hybridized)
    with autograd.record():
        z = net(x, y)
    z.backward(retain_graph=True)
    assert x.grad.asnumpy().tolist() == [0.0, 0.0]
    z.backward()
    assert (x.grad is None, unused.grad.asnumpy().tolist()) == (True, [0.0, 0.0])
    x.attach_grad()
    with autograd.record():
        z = net(x, y)
    z.backward()
    assert x.grad.asnumpy().tolist() == [1.0, 2.0]
