"""The first calls of a hybridized net are interpreted: their errors are those of compiled calls."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.gluon import nn
from gluonic.gluon.loss import SoftmaxCrossEntropyLoss

pytestmark = pytest.mark.usefixtures("named_anew")


class Net(gluon.HybridBlock):
    def __init__(self, function: Callable[..., Any], *layers: gluon.HybridBlock) -> None:
        super().__init__(prefix="net_")
        self._function, self._layers = function, layers
        for layer in layers:
            self.register_child(layer)

    def hybrid_forward(self, F: Any, *inputs: Any) -> Any:
        return self._function(F, *self._layers, *inputs)


def dense(units: int, **more: Any) -> nn.Dense:
    return nn.Dense(units, prefix=f"dense{units}_", **more)


def sequential(*layers: gluon.HybridBlock) -> nn.HybridSequential:
    net = nn.HybridSequential(prefix="outer_")
    net.add(*layers)
    return net


def ones(*shapes: tuple[int, ...]) -> tuple[nd.NDArray, ...]:
    return tuple(nd.ones(shape) for shape in shapes)


def double(array: nd.NDArray) -> nd.NDArray:
    made: nd.NDArray = array.astype("float64")
    return made


def filtered(F: Any, x: Any) -> Any:
    return F.contrib.boolean_mask(x, F.slice_axis(x, axis=1, begin=0, end=1).reshape((-1,)))


# Each is the net, and the inputs of each call; the last call fails.
CALLS: dict[str, Callable[[], tuple[gluon.HybridBlock, Sequence[Sequence[nd.NDArray]]]]] = {
    "a difference of unequal shapes": lambda: (
        Net(lambda F, x: x - F.mean(x)),
        [ones((3, 4))],
    ),
    "two inputs": lambda: (Net(lambda F, x, y: F.dot(F.relu(x), y)), [ones((3, 4), (3, 4))]),
    "a layer made for other inputs": lambda: (
        sequential(dense(4), dense(3, in_units=7)),
        [ones((2, 5))],
    ),
    "a block within a block": lambda: (
        Net(lambda F, layer, x: layer(F.relu(x)), sequential(dense(3, in_units=7))),
        [ones((2, 5))],
    ),
    "a second batch of other width": lambda: (
        sequential(dense(4), dense(3)),
        [ones((2, 5)), ones((2, 6))],
    ),
    "a second batch of another dtype": lambda: (
        sequential(dense(4), dense(3)),
        [ones((2, 5)), (double(nd.ones((2, 5))),)],
    ),
    "a fifth batch of other width": lambda: (
        sequential(dense(4), dense(3)),
        [*[ones((n, 5)) for n in (2, 3, 4, 5)], ones((2, 6))],
    ),
    "two dtypes": lambda: (
        Net(lambda F, x, y: F.broadcast_add(F.relu(x), y)),
        [(nd.ones((2, 3)), double(nd.ones((2, 3))))],
    ),
    "a shape before an earlier dtype": lambda: (
        Net(lambda F, x, y: (x + y).reshape((7, 7))),
        [(nd.ones((2, 3)), double(nd.ones((2, 3))))],
    ),
    "images without a batch": lambda: (
        Net(lambda F, x: F.Pooling(x, kernel=(2, 2))),
        [ones((8, 8))],
    ),
    "channels last": lambda: (
        sequential(nn.Conv2D(4, 3, in_channels=3, prefix="conv_")),
        [ones((2, 8, 8, 3))],
    ),
    "labels of another batch": lambda: (
        SoftmaxCrossEntropyLoss(prefix="loss_"),
        [ones((4, 3), (5,))],
    ),
    "a concatenation": lambda: (
        Net(lambda F, x, y: F.concat(x, F.exp(y), dim=1)),
        [ones((2, 3), (3, 3))],
    ),
    "a reshape": lambda: (Net(lambda F, x: F.reshape(F.exp(x), (4, 2))), [ones((2, 3))]),
    "open shapes": lambda: (
        Net(lambda F, x: F.elemwise_add(F.zeros((0, 4)), F.exp(x))),
        [ones((2, 3))],
    ),
    "shapes that depend on data": lambda: (
        Net(lambda F, x: F.dot(filtered(F, x), F.relu(x))),
        [ones((2, 3))],
    ),
    "a matrix that the kernel refuses": lambda: (
        Net(lambda F, x: F.linalg.potrf(F.negative(x))),
        [(nd.array(np.eye(2)),)],
    ),
}


@pytest.fixture
def named_anew() -> Any:
    """Names are numbered from 0, so that those of several runs are equal."""
    with mx.name.NameManager():
        yield


def failure(name: str, monkeypatch: pytest.MonkeyPatch, executor: str, recording: bool) -> Any:
    """The error of a call that must fail: when interpreted, or when compiled at once."""
    if executor == "compiled at once":
        monkeypatch.delenv("GLUONIC_EXECUTOR", raising=False)
    else:
        monkeypatch.setenv("GLUONIC_EXECUTOR", executor)
    net, calls = CALLS[name]()
    net.initialize()
    net.hybridize(compile_at_once=executor == "compiled at once")

    def called(inputs: Sequence[nd.NDArray]) -> None:
        for array in inputs:
            array.attach_grad()
        with autograd.record() if recording else autograd.pause():
            net(*inputs)

    *right, wrong = calls
    for inputs in right:
        called(inputs)
    with pytest.raises(mx.MXNetError) as caught:
        called(wrong)
    return caught.value


@pytest.mark.parametrize("recording", [False, True], ids=["", "recorded"])
@pytest.mark.parametrize("name", CALLS)
def test_an_interpreted_call_has_the_error_of_a_compiled_one(
    name: str, recording: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, *others = [
        failure(name, monkeypatch, executor, recording)
        for executor in ("compiled at once", "interpret", "mixed")
    ]
    for error in others:
        assert str(error) == str(expected)
        assert type(error) is type(expected)
        assert str(error.picture()) == str(expected.picture())


def test_each_operand_has_its_origin_in_a_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLUONIC_EXECUTOR", raising=False)
    net = Net(lambda F, x: F.exp(x) - F.mean(x))
    net.hybridize()
    with pytest.raises(mx.MXNetError) as caught:
        net(nd.ones((3, 4)))
    message = str(caught.value)
    assert "lhs: shape (3, 4) from exp 'net_exp0'" in message
    assert "rhs: shape (1,) from mean 'net_mean0'" in message
    assert "in block net" in message


@pytest.mark.parametrize("executor", ["mixed", "compile"])
def test_the_line_of_a_later_call_is_named_not_that_of_the_first(
    executor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_EXECUTOR", executor)
    net = Net(lambda F, layer, x, y: layer(x) * y, sequential(dense(3)))
    net.initialize()
    net.hybridize()

    def first() -> None:
        net(*ones((2, 5), (2, 3)))

    def second() -> None:
        net(*ones((2, 5), (2, 4)))

    first()
    with pytest.raises(mx.MXNetError) as caught:
        second()
    message = str(caught.value)
    assert "in first" not in message
    line = second.__code__.co_firstlineno + 1
    assert f'rhs: shape (2, 4) from data1 (File "{__file__}", line {line}, in second)' in message


@pytest.mark.parametrize("recording", [False, True], ids=["", "recorded"])
def test_an_imported_net_has_the_same_error_interpreted_and_compiled(
    recording: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net = sequential(dense(4), dense(3))
    net.initialize()
    net.hybridize()
    net(nd.ones((2, 5)))
    symbol_file, parameter_file = net.export(str(tmp_path / "net"))
    messages = []
    for executor in ("compile", "interpret", "mixed"):
        monkeypatch.setenv("GLUONIC_EXECUTOR", executor)
        block = gluon.SymbolBlock.imports(symbol_file, ["data"], parameter_file)
        block.hybridize()
        with pytest.raises(mx.MXNetError) as caught, autograd.record(train_mode=recording):
            block(nd.ones((2, 7)))
        messages.append(str(caught.value).replace(block.name, "block"))
    assert messages[0] == messages[1] == messages[2]
    assert "weight: shape (4, 5) from dense4_weight" in messages[0]


@pytest.mark.parametrize("executor", ["compile", "interpret", "mixed"])
def test_executors_and_modules_name_the_operands(
    executor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_EXECUTOR", executor)
    out = sym.elemwise_sub(sym.exp(sym.var("data")), sym.var("other"), name="minus")
    expected = "lhs: shape (3, 4) from exp"
    with pytest.raises(mx.MXNetError, match=r"lhs: shape \(3, 4\) from exp") as caught:
        out.simple_bind(mx.cpu(), data=(3, 4), other=(3, 5))
    assert "rhs: shape (3, 5) from other" in str(caught.value)
    module = mx.mod.Module(out, data_names=["data", "other"], label_names=None)
    with pytest.raises(mx.MXNetError) as caught:
        module.bind([("data", (3, 4)), ("other", (3, 5))], for_training=False)
    assert expected in str(caught.value)
