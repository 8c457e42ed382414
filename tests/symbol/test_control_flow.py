"""Loops and branches over symbols compute, differentiate, infer and are saved."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gluonic import autograd, nd
from gluonic import symbol as sym
from gluonic.gluon import HybridBlock
from gluonic.graph.errors import FileFormatError
from gluonic.ndarray import cpu
from gluonic.symbol import Symbol

DATA = np.random.default_rng(3).normal(size=(4, 2, 3)).astype(np.float32)
STATE = np.random.default_rng(4).normal(size=(2, 3)).astype(np.float32)
WEIGHT = np.random.default_rng(5).normal(size=(3, 3)).astype(np.float32)


def recurrence(F: Any, data: Any, state: Any, weight: Any) -> Any:
    def body(x: Any, states: Any) -> Any:
        new = F.tanh(F.dot(states[0], weight) + x)
        return new * x, [new]

    outputs, states = F.contrib.foreach(body, data, [state])
    return [outputs, states[0]]


def capped_growth(F: Any, data: Any, state: Any, weight: Any) -> Any:
    outputs, (_, last) = F.contrib.while_loop(
        lambda count, s: count < 3,
        lambda count, s: (F.sin(s), [count + 1, F.broadcast_mul(F.dot(s, weight), count)]),
        [F.sum(F.ones_like(state)).reshape((1, 1)) / 6, state],
        max_iterations=5,
    )
    return [outputs, last]


def chosen(F: Any, data: Any, state: Any, weight: Any) -> Any:
    positive = F.sum(state) > 0
    return F.contrib.cond(
        positive, lambda: [F.dot(state, weight), state], lambda: [state * 2, F.exp(state)]
    )


def nested(F: Any, data: Any, state: Any, weight: Any) -> Any:
    def outer(x: Any, s: Any) -> Any:
        def inner(row: Any, total: Any) -> Any:
            return row * total, total + F.broadcast_mul(row, F.sum(weight))

        _, total = F.contrib.foreach(inner, x + s, F.zeros((3,)))
        return total, F.contrib.cond(F.sum(total) > 0, lambda: s + x, lambda: s - x)

    return list(F.contrib.foreach(outer, data, state))


LOOPS = [recurrence, capped_growth, chosen, nested]


class Net(HybridBlock):
    """A block that computes a function of its inputs."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def hybrid_forward(self, F: Any, *inputs: Any) -> Any:
        return self.function(F, *inputs)


def run(function: Callable[..., Any], *, hybrid: bool, flip: float) -> list[Any]:
    inputs = [nd.array(DATA), nd.array(STATE * flip), nd.array(WEIGHT)]
    for x in inputs:
        x.attach_grad()
    net = Net(function)
    if hybrid:
        net.hybridize()
    with autograd.record():
        outputs = net(*inputs)
        loss = sum(((i + 1) * (y[:3] * y[:3]).sum() for i, y in enumerate(outputs)), nd.zeros(1))
    loss.backward()
    return [x.asnumpy() for x in [*(y[:3] for y in outputs), *(x.grad for x in inputs)]]


@pytest.mark.filterwarnings("ignore:.*no operator reads input")
@pytest.mark.parametrize("flip", [1.0, -1.0])
@pytest.mark.parametrize("function", LOOPS)
def test_a_traced_loop_agrees_with_the_eager_one(function: Any, flip: float) -> None:
    eager = run(function, hybrid=False, flip=flip)
    traced = run(function, hybrid=True, flip=flip)
    for a, b in zip(eager, traced, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def symbolic(function: Callable[..., Any]) -> Symbol:
    made = function(sym, sym.var("data"), sym.var("state"), sym.var("weight"))
    return sym.Group(made)


@pytest.mark.parametrize("function", LOOPS)
def test_a_loop_survives_a_file(function: Any) -> None:
    made = symbolic(function)
    read = sym.load_json(made.tojson())
    assert read.tojson() == made.tojson()
    values = {"data": nd.array(DATA), "state": nd.array(STATE), "weight": nd.array(WEIGHT)}
    given = {name: values[name] for name in made.list_arguments()}
    for a, b in zip(made.eval(**given), read.eval(**given), strict=True):
        assert np.array_equal(a.asnumpy(), b.asnumpy())


def test_names_and_attributes_are_those_of_mxnet() -> None:
    with sym.NameManager():
        outputs, state = sym.contrib.foreach(
            lambda x, s: (x + s, x), sym.var("data"), sym.var("state"), name="loop"
        )
    assert sym.Group([outputs, state]).list_outputs() == ["_foreach0_output0", "_foreach0_output1"]
    node = json.loads(outputs.tojson())["nodes"][-1]
    assert node["attrs"] == {
        "in_data_locs": "[0]",
        "in_state_locs": "[1]",
        "num_args": "3",
        "num_out_data": "1",
        "num_outputs": "2",
        "remain_locs": "[]",
    }
    inner = node["subgraphs"][0]["nodes"]
    assert [n["name"] for n in inner] == ["data-0", "state-0", "_plus0", "identity0"]
    assert inner[2]["attrs"]["__subgraph_name__"].startswith("loop")


def test_shapes_and_dtypes_follow_through_a_loop() -> None:
    made = symbolic(recurrence)
    shapes = made.infer_shape(data=(4, 2, 3), weight=(3, 3))
    assert shapes == ([(4, 2, 3), (2, 3), (3, 3)], [(4, 2, 3), (2, 3)], [])
    dtypes = made.infer_type(data=np.float64)
    assert dtypes == ([np.float64] * 3, [np.float64] * 2, [])


def test_slices_of_a_vector_have_one_element() -> None:
    outputs, last = sym.contrib.foreach(lambda x, s: (x, s + x), sym.var("x"), sym.var("s"))
    results = sym.Group([outputs, last]).eval(x=nd.array([1, 2, 3]), s=nd.zeros((1,)))
    assert [r.shape for r in results] == [(3, 1), (1,)]


def test_a_loop_that_never_starts_returns_zeros_and_its_variables() -> None:
    outputs, (last,) = sym.contrib.while_loop(
        lambda x: x < 0, lambda x: (x * 2, [x + 1]), [sym.var("x")], max_iterations=3
    )
    found = sym.Group([outputs, last]).eval(x=nd.array([5.0]))
    assert [f.asnumpy().tolist() for f in found] == [[[0], [0], [0]], [5]]


def test_gradients_repeat_the_random_numbers_of_the_loop() -> None:
    outputs, _ = sym.contrib.foreach(
        lambda x, s: (sym.Dropout(x, p=0.5), s + x), sym.var("x"), sym.var("s")
    )
    executor = outputs.simple_bind(cpu(), x=(6, 50), s=(50,))
    executor.arg_dict["x"][:] = 1
    forward = executor.forward(is_train=True)[0].asnumpy()
    executor.backward(nd.ones((6, 50)))
    assert set(np.unique(forward)) == {0.0, 2.0}
    assert np.array_equal(executor.grad_dict["x"].asnumpy(), forward)


def test_gradients_of_gradients_are_refused_by_name() -> None:
    x = nd.ones((3, 2))
    x.attach_grad()
    net = Net(lambda F, x: F.contrib.foreach(lambda a, s: (a * a, s + a), x, F.sum(x, axis=0))[0])
    net.hybridize()
    with autograd.record():
        result = net(x).sum()
        with pytest.raises(NotImplementedError, match="_foreach"):
            autograd.grad(result, [x], create_graph=True)[0].sum().backward()


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda x, s: sym.contrib.foreach(lambda a, b: (a, [b]), x, s), AssertionError),
        (lambda x, s: sym.contrib.foreach(lambda a, b: (b, b), x, s), AssertionError),
        (lambda x, s: sym.contrib.while_loop(lambda a: a, lambda a: (a, a), x), ValueError),
        (lambda x, s: sym.contrib.while_loop(lambda a: 1, lambda a: (a, a), x, 3), ValueError),
        (lambda x, s: sym.contrib.while_loop(lambda: s, lambda: (s, []), [], 3), ValueError),
        (lambda x, s: sym.contrib.cond(x, lambda: [x, s], lambda: [x]), ValueError),
    ],
)
def test_what_mxnet_refuses_is_refused(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make(sym.var("x"), sym.var("s"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("in_data_locs", "[7]"),
        ("num_args", "99999999999"),
        ("num_out_data", "0"),
        ("num_outputs", "3"),
    ],
)
def test_a_file_with_wrong_positions_is_refused(field: str, value: str) -> None:
    document = json.loads(symbolic(recurrence).tojson())
    next(n for n in document["nodes"] if n["op"] == "_foreach")["attrs"][field] = value
    with pytest.raises(FileFormatError, match="_foreach"):
        sym.load_json(json.dumps(document))
