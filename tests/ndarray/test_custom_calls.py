"""Where the callbacks of operators written in Python run, what they may do and what stays of them."""

import gc
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from tests.forking import forks, is_true_in_a_child
from tests.ndarray.custom_ways import (
    WAYS,
    Net,
    Way,
    X,
    define,
    every_way,
)


@every_way
def test_callbacks_run_at_once_in_the_calling_thread_unrecorded(way: Way) -> None:
    seen: list[Any] = []

    def note() -> None:
        flags = autograd.is_recording(), autograd.is_training()
        seen.append((threading.get_ident(), *flags))

    define(
        "test_where",
        lambda op, train, req, x, y, aux: note(),
        lambda op, req, dy, x, y, dx, aux: note(),
    )
    way(X, op_type="test_where")
    assert set(seen) == {(threading.get_ident(), False, True)}


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("hybridize", [False, True])
def test_is_train_is_the_mode_of_the_call(train: bool, hybridize: bool) -> None:
    seen: list[Any] = []
    define("test_mode", lambda op, is_train, req, x, y, aux: seen.append(is_train))
    net = Net({"op_type": "test_mode"})
    net.hybridize(hybridize)
    with autograd.record(train_mode=train):
        net(nd.array(X))
    with autograd.train_mode() if train else autograd.predict_mode():
        net(nd.array(X))
    assert seen == [train, train]


def test_many_threads_call_at_once() -> None:
    x, expected = nd.array(X), 1 / (1 + np.exp(-X))
    wrong: list[int] = []

    def work() -> None:
        for _ in range(50):
            if not np.allclose(nd.Custom(x, op_type="test_sigmoid").asnumpy(), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@forks
@every_way
def test_a_forked_child_goes_on(way: Way) -> None:
    (before,), _ = way(X, op_type="test_sigmoid")
    assert is_true_in_a_child(lambda: np.array_equal(before, way(X, op_type="test_sigmoid")[0][0]))


def test_warnings_of_the_callback_appear() -> None:
    define("test_log", lambda op, train, req, x, y, aux: np.log(x[0].asnumpy()))
    net = Net({"op_type": "test_log"})
    net.hybridize()
    calls: list[Callable[..., Any]] = [lambda x: nd.Custom(x, op_type="test_log"), net]
    for call in calls:
        for _ in range(2):
            with pytest.warns(RuntimeWarning, match="divide by zero"):
                call(nd.zeros((1,)))


def test_gluonic_adds_no_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nd.Custom(nd.array([np.inf, np.nan]), op_type="test_sigmoid")


def test_callbacks_may_call_operators_nets_and_autograd() -> None:
    inner = gluon.nn.Dense(3, in_units=3)
    inner.initialize(mx.init.One())
    inner.hybridize()

    def backward(op: Any, req: Any, dy: Any, x: Any, y: Any, dx: Any, aux: Any) -> None:
        x[0].attach_grad()
        with autograd.record():
            again = nd.Custom(inner(x[0]), op_type="test_sigmoid")
        again.backward(dy[0])
        op.assign(dx[0], req[0], x[0].grad)

    define(
        "test_nested",
        lambda op, train, req, x, y, aux: op.assign(
            y[0], req[0], nd.Custom(inner(x[0]), op_type="test_sigmoid")
        ),
        backward,
    )
    value = 1 / (1 + np.exp(-X.sum(1, keepdims=True).repeat(3, 1)))
    for way in WAYS:
        (found,), (gradient,) = way(X, op_type="test_nested")
        assert found == pytest.approx(value, rel=1e-5)
        expected = (2 * value * (1 - value)).sum(1, keepdims=True).repeat(3, 1)
        assert gradient == pytest.approx(expected, rel=1e-4)


def test_inputs_kept_by_a_callback_stay_unchanged() -> None:
    def forward(op: Any, train: bool, req: Any, x: Any, y: Any, aux: Any) -> None:
        op.kept = x[0]
        op.assign(y[0], req[0], x[0])

    define(
        "test_keeps",
        forward,
        lambda op, req, dy, x, y, dx, aux: op.assign(dx[0], req[0], dy[0] * op.kept),
    )
    net = gluon.nn.HybridLambda(
        lambda F, x: F.Custom(F.exp(F.Custom(F.sin(x), op_type="test_keeps")), op_type="test_keeps")
    )
    found: list[Any] = []
    for hybridize in (False, True):
        net.hybridize(hybridize)
        x = nd.array(X)
        x.attach_grad()
        with autograd.record():
            first = net(x)
            net(x * 0)  # uses the memory again
        first.backward()
        found.append(x.grad.asnumpy())
    np.testing.assert_allclose(found[0], found[1], rtol=1e-5)
    np.testing.assert_allclose(
        found[0], np.exp(2 * np.sin(X)) * np.sin(X) * np.cos(X), rtol=1e-4, atol=1e-6
    )


def test_an_executor_keeps_its_operator_object() -> None:
    def forward(op: Any, train: bool, req: Any, x: Any, y: Any, aux: Any) -> None:
        op.calls = getattr(op, "calls", 0) + 1
        op.assign(y[0], req[0], op.calls)

    define("test_object", forward)
    executor = sym.Custom(sym.var("x"), op_type="test_object").bind(mx.cpu(), {"x": nd.zeros((1,))})
    assert [executor.forward()[0].asscalar() for _ in range(3)] == [1, 2, 3]
    assert [nd.Custom(nd.zeros((1,)), op_type="test_object").asscalar() for _ in range(3)] == [
        1
    ] * 3


def test_a_call_keeps_nothing_alive() -> None:
    made: list[Any] = []
    define(
        "test_alive",
        lambda op, train, req, x, y, aux: made.append(weakref.ref(op)),
        lambda op, req, dy, x, y, dx, aux: None,
    )
    net = Net({"op_type": "test_alive"})
    net.hybridize()
    gc.disable()
    try:
        calls: list[Callable[..., Any]] = [lambda x: nd.Custom(x, op_type="test_alive"), net]
        for call in calls:
            for _ in range(3):
                x = nd.array(X)
                x.attach_grad()
                with autograd.record():
                    y = call(x)
                assert made[-1]() is not None
                y.backward()
                del y
                assert made[-1]() is None
    finally:
        gc.enable()
