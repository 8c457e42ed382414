"""Hybridized blocks compute the same as eager ones: values and gradients of any order, for any inputs."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn, rnn
from gluonic.graph.errors import CallError


class Function(gluon.HybridBlock):
    """A function of F and the inputs, without parameters."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def hybrid_forward(self, F: Any, x: Any, *args: Any) -> Any:
        return self._function(F, x, *args)


class Residual(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm = nn.Conv2D(3, 3, padding=1), nn.BatchNorm()
        self.scale = self.params.get("scale", shape=(1, 3, 1, 1), init=mx.init.Constant(0.7))

    def hybrid_forward(self, F: Any, x: Any, scale: Any) -> Any:
        y = F.relu(self.norm(self.first(x)))
        return F.broadcast_mul(y, scale) + x


class Gated(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        self.value, self.gate = nn.Dense(4), nn.Dense(4, activation="sigmoid")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        gate = self.gate(x)
        parts = F.split(self.value(x) * gate, num_outputs=2, axis=1)
        return F.concat(parts[1], F.tanh(parts[0]), dim=1), F.mean(gate, axis=1)


def sequence(*layers: Any) -> Any:
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def tied() -> Any:
    first = nn.Dense(5, in_units=5, activation="tanh")
    return sequence(first, nn.Dense(5, in_units=5, params=first.params), first)


# name: the net, the shapes of its inputs
NETS: dict[str, tuple[Callable[[], Any], list[tuple[int, ...]]]] = {
    "dense": (lambda: nn.Dense(3), [(4, 5)]),
    "dense without bias, flat": (lambda: nn.Dense(3, use_bias=False, flatten=False), [(2, 3, 5)]),
    "perceptron": (
        lambda: sequence(nn.Dense(8, activation="relu"), nn.Dense(8, activation="tanh"), nn.Dense(2)),
        [(4, 5)],
    ),
    "tied": (tied, [(3, 5)]),
    "convolutional": (
        lambda: sequence(
            nn.Conv2D(4, 3, activation="relu"), nn.BatchNorm(), nn.MaxPool2D(), nn.Flatten(), nn.Dense(3)
        ),
        [(2, 3, 8, 8)],
    ),
    "strided, grouped, dilated": (
        lambda: sequence(
            nn.Conv2D(4, 3, strides=2, groups=2, padding=1), nn.Conv2D(4, 2, dilation=2), nn.GlobalAvgPool2D()
        ),
        [(2, 4, 9, 9)],
    ),
    "transposed": (lambda: nn.Conv2DTranspose(3, 3, strides=2), [(2, 2, 4, 4)]),
    "residual": (Residual, [(2, 3, 5, 5)]),
    "gated, several outputs": (Gated, [(3, 6)]),
    "norms": (
        lambda: sequence(nn.LayerNorm(), nn.Dense(6), nn.BatchNorm(center=False), nn.ELU(), nn.PReLU()),
        [(4, 5)],
    ),
    "instance and group norm": (
        lambda: sequence(nn.InstanceNorm(), nn.GroupNorm(num_groups=2), nn.Swish()),
        [(2, 4, 3, 3)],
    ),
    "embedding": (
        lambda: sequence(nn.Embedding(7, 4), nn.Dense(3)),
        [(2, 3)],
    ),
    "recurrent": (lambda: rnn.GRU(4, layout="NTC", bidirectional=True), [(2, 3, 5)]),
    "elementwise chain": (
        lambda: Function(lambda F, x: F.exp(-F.square(x)) * F.sigmoid(x) + F.log1p(F.abs(x)) / 3),
        [(3, 4)],
    ),
    "broadcasting": (
        lambda: Function(
            lambda F, x, y: F.broadcast_div(F.broadcast_sub(x, y), 1 + F.square(F.broadcast_maximum(x, y)))
        ),
        [(3, 1, 4), (2, 1)],
    ),
    "moments": (
        lambda: Function(
            lambda F, x: F.broadcast_div(
                F.broadcast_sub(x, F.mean(x, axis=1, keepdims=True)),
                F.sqrt(F.mean(F.square(x), axis=1, keepdims=True) + 1e-3),
            )
        ),
        [(4, 6)],
    ),
    "attention": (
        lambda: Function(
            lambda F, q, k, v: F.batch_dot(F.softmax(F.batch_dot(q, k, transpose_b=True) / 2), v)
        ),
        [(2, 3, 4), (2, 5, 4), (2, 5, 6)],
    ),
    "shapes": (
        lambda: Function(
            lambda F, x: F.stack(
                F.transpose(x, axes=(1, 0, 2)).reshape((0, -1)).slice_axis(axis=1, begin=1, end=5),
                F.tile(F.expand_dims(F.sum(x, axis=(0, 2)), axis=1), reps=(1, 4)),
                axis=1,
            )
        ),
        [(2, 3, 4)],
    ),
    "indexing": (
        lambda: Function(
            lambda F, x: F.broadcast_add(
                F.take(x, F.argmax(x, axis=1), mode="clip"), F.pick(x, F.argmin(x, axis=1), keepdims=True)
            )
        ),
        [(4, 4)],
    ),
    "choice": (
        lambda: Function(lambda F, x: F.where(x > 0, F.sqrt(F.abs(x)), x * x) + F.clip(x, -0.5, 0.5)),
        [(3, 5)],
    ),
    "reused result": (
        lambda: Function(lambda F, x: (lambda y: y * y + F.broadcast_mul(F.sum(y), y))(F.tanh(x))),
        [(6,)],
    ),
    "stopped gradient": (
        lambda: Function(lambda F, x: F.BlockGrad(x * 2) * x),
        [(3,)],
    ),
    "the input itself": (lambda: Function(lambda F, x: [x, x * 2, x]), [(3,)]),
}  # fmt: skip
every_net = pytest.mark.parametrize("name", NETS)


def inputs_for(name: str) -> list[Any]:
    draw = np.random.RandomState(5)
    if name == "embedding":
        return [nd.array(draw.randint(0, 7, (2, 3)))]
    return [nd.array(draw.uniform(-1, 1, shape)) for shape in NETS[name][1]]


def _numbers(values: Any) -> list[Any]:
    values = values if isinstance(values, (list, tuple)) else [values]
    return [value.asnumpy() for value in values]


def step(
    net: Any, inputs: list[Any], **record: bool
) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """The outputs, the gradients of the inputs and those of the parameters."""
    for x in inputs:
        x.attach_grad()
    with autograd.record(**record):
        outputs = net(*inputs)
        results = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        heads = [nd.arange(r.size).reshape(r.shape) / r.size + 0.5 for r in results]
    autograd.backward(results, heads)
    parameters = {
        n: p.grad().asnumpy()
        for n, p in net._collect_params_with_prefix().items()
        if p.grad_req != "null"
    }
    return _numbers(outputs), [x.grad.asnumpy() for x in inputs], parameters


def close(first: Any, second: Any) -> None:
    """Whether nested results are equal up to rounding."""
    if isinstance(first, dict):
        assert first.keys() == second.keys()
        first, second = list(first.values()), list(second.values())
    assert len(first) == len(second)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)


@every_net
@pytest.mark.parametrize("train_mode", [False, True])
@pytest.mark.parametrize("flags", [{}, {"compile_at_once": True}], ids=["", "compiled"])
def test_values_and_gradients_are_the_eager_ones(
    name: str, train_mode: bool, flags: dict[str, bool]
) -> None:
    net = NETS[name][0]()
    net.initialize(mx.init.Xavier())
    inputs = inputs_for(name)
    net(*inputs)
    states = {p: p.data().copy() for p in net.collect_params().values()}
    eager = step(net, inputs, train_mode=train_mode)
    after = {p: p.data().asnumpy() for p in states}
    for parameter, value in states.items():
        parameter.set_data(value)
    net.hybridize(**flags)
    for found, expected in zip(step(net, inputs, train_mode=train_mode), eager, strict=True):
        close(found, expected)
    close({p.name: p.data().asnumpy() for p in states}, {p.name: a for p, a in after.items()})


@every_net
def test_results_outside_of_recording_are_the_same(name: str) -> None:
    net = NETS[name][0]()
    net.initialize(mx.init.Xavier())
    inputs = inputs_for(name)
    expected = _numbers(net(*inputs))
    net.hybridize()
    for _ in range(2):
        close(_numbers(net(*inputs)), expected)
    net.hybridize(False)
    close(_numbers(net(*inputs)), expected)


@pytest.mark.parametrize("request_", ["add", "null"])
def test_requests_of_inputs_hold(request_: str) -> None:
    found = []
    for hybridize in (False, True):
        net = Function(lambda F, x, y: x * y + F.exp(y))
        net.hybridize(hybridize)
        x, y = nd.array([2.0, 3.0]), nd.array([0.5, 0.25])
        x.attach_grad(request_)
        y.attach_grad()
        for _ in range(2):
            with autograd.record():
                z = net(x, y)
            z.backward()
        found.append([x.grad.asnumpy() if request_ == "add" else None, y.grad.asnumpy()])
    if request_ == "add":
        assert found[1][0].tolist() == [1, 0.5]
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-6)


ORDERS: dict[str, tuple[Callable[..., Any], list[Callable[[Any], Any]]]] = {
    "cube": (lambda F, x: x * x * x, [lambda x: 3 * x**2, lambda x: 6 * x, lambda x: 6 + 0 * x]),
    "exp of sin": (
        lambda F, x: F.exp(F.sin(x)),
        [
            lambda x: np.exp(np.sin(x)) * np.cos(x),
            lambda x: np.exp(np.sin(x)) * (np.cos(x) ** 2 - np.sin(x)),
        ],
    ),
    "log": (lambda F, x: F.log(x), [lambda x: 1 / x, lambda x: -(x**-2), lambda x: 2 * x**-3]),
    "power": (
        lambda F, x: F.sqrt(x) * x,
        [lambda x: 1.5 * np.sqrt(x), lambda x: 0.75 / np.sqrt(x)],
    ),
}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("hybridize", [False, True])
def test_gradients_of_gradients_go_through_a_block(name: str, hybridize: bool) -> None:
    function, derivatives = ORDERS[name]
    net = Function(function)
    net.hybridize(hybridize)
    x = nd.array([0.5, 1.0, 2.0], dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = net(x)
        for derivative in derivatives:
            (y,) = autograd.grad(y, [x], create_graph=True)
            np.testing.assert_allclose(y.asnumpy(), derivative(x.asnumpy()), rtol=1e-9)


def test_a_penalty_on_the_gradient_trains_the_parameters_of_a_net() -> None:
    found = []
    for hybridize in (False, True):
        mx.random.seed(1)
        net = sequence(nn.Dense(6, activation="tanh", in_units=4), nn.Dense(1, in_units=6))
        net.initialize(mx.init.Xavier())
        net.hybridize(hybridize)
        x = nd.array(np.random.RandomState(0).uniform(-1, 1, (5, 4)))
        x.attach_grad()
        with autograd.record():
            y = net(x)
            (slope,) = autograd.grad(y, [x], create_graph=True)
            penalty = nd.square(nd.sqrt(nd.sum(nd.square(slope), axis=1)) - 1).sum()
        penalty.backward()
        found.append({n: p.grad().asnumpy() for n, p in net._collect_params_with_prefix().items()})
    assert found[0]["0.weight"].any()
    close(found[0], found[1])


def test_a_recorded_call_can_be_differentiated_again_if_asked_to() -> None:
    net = nn.Dense(1, in_units=2, use_bias=False)
    net.initialize(mx.init.One())
    net.hybridize()
    net.weight.grad_req = "add"
    with autograd.record():
        y = net(nd.array([[1.0, 2.0]]))
    y.backward(retain_graph=True)
    y.backward()
    assert net.weight.grad().asnumpy().tolist() == [[2, 4]]
    with pytest.raises(mx.MXNetError, match="an earlier backward has freed the graph"):
        y.backward()


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])
@pytest.mark.parametrize(("name", "expected"), [("exp", 9), ("tanh", -80), ("sigmoid", -72)])
def test_gradients_are_those_at_an_output_changed_in_place(
    name: str, expected: float, hybridize: bool
) -> None:
    net, x = Function(lambda F, x: getattr(F, name)(x)), nd.array([0.5])
    if hybridize:
        net.hybridize()
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y[:] = 9
    y.backward()
    assert x.grad.asscalar() == expected


def test_hybridized_parts_and_eager_parts_go_together() -> None:
    found = []
    for which in ((), (0,), (0, 2), (1,), (0, 1, 2)):
        mx.random.seed(2)
        net = nn.Sequential()
        net.add(nn.Dense(4, in_units=3), sequence(nn.Dense(4, in_units=4)), nn.Dense(2, in_units=4))
        net.initialize(mx.init.Xavier())
        for i in which:
            net[i].hybridize()
        found.append(step(net, [nd.ones((2, 3))]))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            close(a, b)


def test_one_seed_drops_the_same_eagerly_and_hybridized() -> None:
    net = sequence(nn.Dropout(0.5), nn.Dense(4, in_units=6), nn.Dropout(0.25))
    net.initialize()
    found = []
    for hybridize in (False, True):
        net.hybridize(hybridize)
        mx.random.seed(7)
        turns = []
        for _ in range(3):
            with autograd.record():
                turns.append(net(nd.ones((5, 6))).asnumpy())
        found.append(turns)
    close(found[0], found[1])
    assert not np.array_equal(found[0][0], found[0][1])


def test_the_gradient_of_dropout_knows_what_was_dropped() -> None:
    for hybridize in (False, True):
        net = nn.Dropout(0.5)
        net.hybridize(hybridize)
        x = nd.ones((100,))
        x.attach_grad()
        with autograd.record():
            y = net(x)
        y.backward()
        assert np.array_equal(x.grad.asnumpy(), y.asnumpy())
        assert set(np.unique(y.asnumpy())) == {0, 2}


def test_the_block_of_a_results_consumer_may_change_the_result_in_place() -> None:
    """Outputs share no memory with parameters, inputs or each other."""
    net = Function(lambda F, x: [x, F.identity(x), F.reshape(x, shape=(-1,)), x])
    net.hybridize()
    x = nd.array([[1.0, 2.0]])
    outputs = net(x)
    for number, output in enumerate(outputs):
        output[:] = number
    assert x.asnumpy().tolist() == [[1, 2]]
    assert [o.asnumpy().max() for o in outputs] == [0, 1, 2, 3]


class Returned(gluon.HybridBlock):
    """Returns its parameter unchanged."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = self.params.get("weight", shape=(2,), init="ones")

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return x * 2, weight, weight


@pytest.mark.parametrize("hybridize", [False, True])
def test_a_parameter_may_be_returned_unchanged(hybridize: bool) -> None:
    net = Returned()
    net.initialize()
    net.hybridize(hybridize)
    with autograd.record():
        outputs = net(nd.zeros((2,)))
        total = outputs[1] * 3 + outputs[2] * 4
    total.backward()
    assert net.weight.grad().asnumpy().tolist() == [7, 7]
    if hybridize:
        outputs[1][:] = 9
        assert net.weight.data().asnumpy().tolist() == [1, 1]


def test_an_unknown_flag_is_refused_with_the_nearest() -> None:
    with pytest.raises(CallError, match=r"no flag 'static_aloc'; did you mean 'static_alloc'"):
        nn.Dense(1).hybridize(static_aloc=True)
