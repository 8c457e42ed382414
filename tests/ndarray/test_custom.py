"""Operators written in Python: every feature, eagerly, hybridized and in symbols."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, sym
from gluonic.operator import CustomOp
from tests.ndarray.custom_ways import (
    WAYS,
    CustomDense,
    Way,
    Written,
    X,
    define,
    define_dense,
    every_way,
    note,
)


@every_way
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_it_computes_and_differentiates(way: Way, dtype: str) -> None:
    x = X.astype(dtype)
    (found,), (gradient,) = way(x, op_type="test_sigmoid")
    expected = 1 / (1 + np.exp(-x))
    assert found.dtype == gradient.dtype == x.dtype
    assert found == pytest.approx(expected, rel=1e-3)
    assert gradient == pytest.approx(2 * expected * (1 - expected), rel=1e-2)


@every_way
def test_it_may_have_several_outputs_and_inputs_with_names(way: Way) -> None:
    define(
        "test_two",
        lambda op, train, req, x, y, aux: (
            op.assign(y[0], req[0], x[0] * x[1]),
            op.assign(y[1], req[1], x[0] + x[1]),
        ),
        lambda op, req, dy, x, y, dx, aux: (
            op.assign(dx[0], req[0], dy[0] * x[1] + dy[1]),
            op.assign(dx[1], req[1], dy[0] * x[0] + dy[1]),
        ),
        list_arguments=lambda self: ["left", "right"],
        list_outputs=lambda self: ["product", "total"],
        infer_shape=lambda self, s: (s, [s[0], s[0]], []),
    )
    outputs, gradients = way(X, X + 1, op_type="test_two")
    assert outputs[0] == pytest.approx(X * (X + 1))
    assert outputs[1] == pytest.approx(2 * X + 1)
    assert gradients[0] == pytest.approx(2 * (X + 1) + 3)
    assert gradients[1] == pytest.approx(2 * X + 3)


def test_an_output_nothing_flows_into_has_a_gradient_of_zeros() -> None:
    seen: list[Any] = []
    define(
        "test_unused_head",
        lambda op, train, req, x, y, aux: [op.assign(o, "write", x[0]) for o in y],
        lambda op, req, dy, x, y, dx, aux: (
            note(seen, [d.asnumpy().tolist() for d in dy]),
            op.assign(dx[0], req[0], dy[0] + 10 * dy[1]),
        ),
        list_outputs=lambda self: ["a", "b"],
        infer_shape=lambda self, s: (s, [s[0], s[0]], []),
    )
    for call in (nd.Custom, nd.Custom):
        x = nd.array([1.0])
        x.attach_grad()
        with autograd.record():
            _, b = call(x, op_type="test_unused_head")
        b.backward()
        assert x.grad.asscalar() == 10
    assert seen == [[[0], [1]]] * 2


def test_auxiliary_states_are_changed_in_place_wherever_they_live() -> None:
    define(
        "test_counter",
        lambda op, train, req, x, y, aux: (
            op.assign(y[0], req[0], x[0] + aux[0]),
            op.assign(aux[0], "write", aux[0] + 1),
        ),
        lambda op, req, dy, x, y, dx, aux: op.assign(dx[0], req[0], dy[0] * aux[0]),
        list_auxiliary_states=lambda self: ["count"],
        infer_shape=lambda self, s: (s, [s[0]], [[1]]),
    )
    count = nd.array([5.0])
    for turn in range(3):
        x = nd.array([1.0])
        x.attach_grad()
        with autograd.record():
            y = nd.Custom(x, count, op_type="test_counter")
        y.backward()
        assert (y.asscalar(), count.asscalar(), x.grad.asscalar()) == (6 + turn, 6 + turn, 6 + turn)

    class Counter(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.count = self.params.get("count", shape=(1,), init="zeros", grad_req="null")

        def hybrid_forward(self, F: Any, x: Any, count: Any) -> Any:
            return F.Custom(x * 1, count, op_type="test_counter") * 1

    net = Counter()
    net.initialize()
    net.hybridize()
    assert [net(nd.array([1.0])).asscalar() for _ in range(3)] == [1, 2, 3]
    assert net.count.data().asscalar() == 3

    symbol = sym.Custom(sym.var("x"), op_type="test_counter", name="c")
    assert symbol.list_arguments() == ["x"]
    assert symbol.list_auxiliary_states() == ["c_count"]
    executor = symbol.simple_bind(mx.cpu(), x=(1,))
    executor.forward(is_train=True, x=nd.array([1.0]))
    executor.forward(is_train=True)
    assert executor.aux_dict["c_count"].asscalar() == 2


@pytest.mark.parametrize("hybridize", [False, True])
def test_it_infers_the_shape_of_an_input(hybridize: bool) -> None:
    define_dense()
    net = CustomDense(4)
    net.initialize(mx.init.One())
    net.hybridize(hybridize)
    assert net(nd.ones((2, 3))).asnumpy().tolist() == [[3] * 4] * 2
    assert net.weight.shape == (4, 3)
    symbol = sym.Custom(sym.var("x"), op_type="test_dense", units=4, name="fc")
    assert symbol.infer_shape(x=(2, 3)) == ([(2, 3), (4, 3)], [(2, 4)], [])


def test_a_custom_layer_is_dense_in_all_its_gradients() -> None:
    define_dense()
    ours, theirs = CustomDense(4), gluon.nn.Dense(4, use_bias=False)
    found: list[Any] = []
    for net in (ours, theirs):
        net.initialize(mx.init.Constant(0.5))
        net.hybridize()
        x = nd.array(X)
        x.attach_grad()
        with autograd.record():
            y = net(x) ** 2
        y.backward()
        found.append([a.asnumpy() for a in (y, x.grad, net.weight.grad())])
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


@every_way
def test_it_chooses_its_dtypes(way: Way) -> None:
    define(
        "test_rounded",
        lambda op, train, req, x, y, aux: op.assign(y[0], req[0], x[0]),
        lambda op, req, dy, x, y, dx, aux: op.assign(dx[0], req[0], dy[0]),
        infer_type=lambda self, types: (types, [np.int32], []),
    )
    (found,), (gradient,) = way(np.array([1.7, 2.2], np.float64), op_type="test_rounded")
    assert found.dtype == np.int32
    assert found.tolist() == [1, 2]
    assert gradient.dtype == np.float64


@every_way
def test_a_loss_needs_no_gradient_from_above(way: Way) -> None:
    seen: list[Any] = []
    define(
        "test_loss",
        lambda op, train, req, x, y, aux: op.assign(y[0], req[0], x[0]),
        lambda op, req, dy, x, y, dx, aux: (
            note(seen, [d.size for d in dy]),
            op.assign(dx[0], req[0], x[0] - 1),
        ),
        need_top_grad=False,
    )
    _, (gradient,) = way(X, op_type="test_loss")
    assert gradient == pytest.approx(X - 1)
    assert {tuple(sizes) for sizes in seen} == {(0,)}


@every_way
def test_backward_is_given_what_it_declares(way: Way) -> None:
    seen: list[Any] = []
    define(
        "test_declared",
        lambda op, train, req, x, y, aux: op.assign(y[0], req[0], x[0] * 2),
        lambda op, req, dy, x, y, dx, aux: (
            note(seen, (dy[0].size, x[0].size, x[1].size, y[0].size)),
            op.assign(dx[0], req[0], y[0]),
        ),
        list_arguments=lambda self: ["a", "b"],
        declare_backward_dependency=lambda self, dy, x, y: [y[0], x[1]],
    )
    _, gradients = way(X, X, op_type="test_declared")
    assert gradients[0] == pytest.approx(2 * X)
    assert not gradients[1].any()
    assert set(seen) == {(0, 0, 6, 6)}


@every_way
def test_attributes_arrive_as_strings(way: Way) -> None:
    seen: list[Any] = []

    def forward(op: Any, train: bool, req: Any, x: Any, y: Any, aux: Any) -> None:
        op.assign(y[0], req[0], x[0])

    prop = define("test_settings", forward, lambda op, req, dy, x, y, dx, aux: None)
    original: Any = prop.__init__

    def noted(self: Any, **settings: str) -> None:
        seen.append(settings)
        original(self, **settings)

    setattr(prop, "__init__", noted)  # noqa: B010
    way(X, op_type="test_settings", a=1, b=0.5, c=True, d=(1, 2), e="text")
    assert all(s == {"a": "1", "b": "0.5", "c": "True", "d": "(1, 2)", "e": "text"} for s in seen)
    assert seen


def test_attributes_that_compare_equal_but_differ_in_type_are_distinguished() -> None:
    define(
        "test_scale",
        lambda op, train, req, x, y, aux: None,
        create_operator=lambda self, ctx, shapes, dtypes: Written(self.settings["scale"]),
    )
    x = nd.zeros((1,))
    for _ in range(2):
        found = [nd.Custom(x, op_type="test_scale", scale=s).asscalar() for s in (1, 1.0, True)]
        assert found == [len("1"), len("1.0"), len("True")]


@pytest.mark.parametrize(
    ("req", "expected"), [("null", [1, 2]), ("write", [5, 5]), ("inplace", [5, 5]), ("add", [6, 7])]
)
def test_assign_follows_the_request(req: str, expected: list[float]) -> None:
    target = nd.array([1.0, 2.0])
    CustomOp().assign(target, req, nd.array([5.0, 5.0]))
    assert target.asnumpy().tolist() == expected
    CustomOp().assign(target, "write", np.array([7.0, 7.0]))
    CustomOp().assign(target, "add", 1)
    assert target.asnumpy().tolist() == [8, 8]
    with pytest.raises(ValueError, match="null, write, inplace or add"):
        CustomOp().assign(target, "wrte", 1)


def test_gradients_add_up_where_that_is_asked_for() -> None:
    x = nd.array([0.0])
    x.attach_grad("add")
    for _ in range(3):
        with autograd.record():
            y = nd.Custom(x, op_type="test_sigmoid")
        y.backward()
    assert x.grad.asscalar() == pytest.approx(0.75)


@every_way
def test_gradients_are_requested_only_where_needed(way: Way) -> None:
    seen: list[Any] = []
    define(
        "test_wanted",
        lambda op, train, req, x, y, aux: op.assign(y[0], req[0], x[0] + x[1]),
        lambda op, req, dy, x, y, dx, aux: seen.append(list(req)),
        list_arguments=lambda self: ["a", "b"],
    )
    way(X, X, op_type="test_wanted")
    assert set(map(tuple, seen)) == {("write", "write")}
    seen.clear()
    for _ in range(2):
        x = nd.array(X)
        x.attach_grad()
        with autograd.record():
            y = nd.Custom(nd.array(X), x, op_type="test_wanted")
        y.backward()
    assert seen == [["null", "write"]] * 2


def test_it_may_have_no_inputs() -> None:
    define(
        "test_constant",
        lambda op, train, req, x, y, aux: op.assign(y[0], req[0], 7),
        list_arguments=lambda self: [],
        infer_shape=lambda self, s: ([], [(2,)], []),
        infer_type=lambda self, t: ([], [np.float32], []),
    )
    assert nd.Custom(op_type="test_constant").asnumpy().tolist() == [7, 7]
    assert sym.Custom(op_type="test_constant").eval()[0].asnumpy().tolist() == [7, 7]


def test_inputs_may_be_named_and_results_written_into_out() -> None:
    x, out = nd.array(X), nd.zeros(X.shape)
    assert nd.Custom(data=x, op_type="test_sigmoid", out=out) is out
    assert out.asnumpy() == pytest.approx(1 / (1 + np.exp(-X)))
    symbol = sym.Custom(op_type="test_sigmoid", name="s")
    assert (symbol.list_arguments(), symbol.list_outputs()) == (["s_data"], ["s_output"])


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 3, 4)])
def test_arrays_may_be_empty(shape: tuple[int, ...]) -> None:
    for way in WAYS[:3]:
        (found,), (gradient,) = way(np.zeros(shape, np.float32), op_type="test_sigmoid")
        assert found.shape == gradient.shape == shape
