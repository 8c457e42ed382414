"""Parameters: initialization now or later, values, gradients, contexts, dictionaries and constants."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import Constant, DeferredInitializationError, Parameter, ParameterDict, nn


def parameter(**settings: Any) -> Parameter:
    made = Parameter("w", **{"shape": (2, 3), **settings})
    made.initialize(mx.init.One())
    return made


# ---------------------------------------------------------------------------- initialization


class Scaled(gluon.HybridBlock):
    """A layer whose weight's shape follows from the data through an operator of the user's."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3)
        self.weight = self.params.get("weight", shape=(2, 0), allow_deferred_init=True)

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.FullyConnected(self.dense(x), weight, num_hidden=2, no_bias=True)


@pytest.mark.parametrize("how", ["eager", "hybrid", "infer_shape"])
def test_shapes_that_are_left_open_follow_from_the_first_batch(how: str) -> None:
    net = Scaled()
    net.initialize(mx.init.One())
    net.hybridize(how == "hybrid")
    assert net.dense.weight.shape == (3, 0)
    with pytest.raises(DeferredInitializationError):
        net.weight.data()
    if how == "infer_shape":
        net.infer_shape(nd.ones((4, 5)))
        assert (net.dense.weight.shape, net.weight.shape) == ((3, 5), (2, 3))
    assert net(nd.ones((4, 5))).asnumpy().tolist() == [[15, 15]] * 4
    assert (net.dense.weight.shape, net.weight.shape) == ((3, 5), (2, 3))


def test_shapes_are_inferred_from_a_graph_too() -> None:
    net = Scaled()
    symbol = net(mx.sym.var("x"))
    shapes, outputs, _ = symbol.infer_shape(x=(4, 5))
    assert shapes == [(4, 5), (3, 5), (3,), (2, 3)]
    assert outputs == [(4, 2)]


@pytest.mark.parametrize("hybridize", [False, True])
def test_deferred_initialization_uses_the_requested_initializer(hybridize: bool) -> None:
    net = nn.Dense(2, weight_initializer=mx.init.Constant(3), bias_initializer="ones")
    net.initialize(mx.init.Zero(), ctx=[mx.cpu(0), mx.cpu(1)])
    net.hybridize(hybridize)
    net(nd.ones((1, 2), ctx=mx.cpu(1)))
    assert net.weight.data(mx.cpu(0)).asnumpy().tolist() == [[3, 3], [3, 3]]
    assert net.bias is not None
    assert net.bias.data(mx.cpu(1)).asnumpy().tolist() == [1, 1]
    assert net.weight.list_ctx() == [mx.cpu(0), mx.cpu(1)]


def test_one_seed_gives_one_net_however_it_is_initialized() -> None:
    found = []
    for units, hybridize in ((0, False), (5, False), (0, True)):
        mx.random.seed(3)
        net = nn.HybridSequential(prefix="net_")
        with net.name_scope():
            net.add(nn.Dense(4, in_units=units), nn.Dense(2, in_units=4))
        net.initialize(mx.init.Xavier())
        net.hybridize(hybridize)
        net(nd.ones((1, 5)))
        found.append({n: p.data().asnumpy().tolist() for n, p in net.collect_params().items()})
    assert sorted(found[0]) == sorted(found[2])
    assert found[0] == found[2]
    assert all(np.shape(found[1][name]) == np.shape(found[0][name]) for name in found[0])


def test_a_second_initialization_needs_force() -> None:
    made = parameter()
    with pytest.warns(UserWarning, match="'w' is initialized already"):
        made.initialize(mx.init.Zero())
    assert made.data().asnumpy().all()
    made.initialize(mx.init.Zero(), force_reinit=True)
    assert not made.data().asnumpy().any()


def test_a_shape_that_cannot_be_inferred_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match=r"'w'[\s\S]*shape \(2, 0\) is not known[\s\S]*deferred"):
        Parameter("w", shape=(2, 0)).initialize()


@pytest.mark.parametrize("hybridize", [False, True])
def test_after_a_first_batch_that_does_not_fit_another_may(hybridize: bool) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3, flatten=False), nn.Dense(2, in_units=3))
    net.initialize(mx.init.One())
    net.hybridize(hybridize)
    with pytest.raises(mx.MXNetError, match="made for 3 input features, but the data has 12"):
        net(nd.ones((2, 4, 5)))
    assert net[0].weight.shape == (3, 0 if hybridize else 5)
    assert net(nd.ones((2, 5))).asnumpy().tolist() == [[15, 15]] * 2


# ------------------------------------------------------------------------------------- values


def test_values_are_set_in_place() -> None:
    made = parameter()
    before = made.data()
    made.set_data(nd.zeros((2, 3)))
    assert made.data() is before
    assert not before.asnumpy().any()
    with pytest.raises(AssertionError, match=r"\(3, 3\) does not fit the declared shape \(2, 3\)"):
        made.set_data(nd.zeros((3, 3)))


def test_a_value_set_early_replaces_the_initialization() -> None:
    net = nn.Dense(2, use_bias=False)
    net.initialize(mx.init.Zero())
    net.weight.set_data(nd.ones((2, 3)))
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])
def test_an_initialization_that_was_stopped_can_be_tried_again(
    hybridize: bool, error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: Any) -> None:
        raise error

    net = nn.Dense(2, use_bias=False)
    net.initialize(mx.init.One())
    net.hybridize(hybridize)
    with monkeypatch.context() as patch:
        patch.setattr(mx.init.One, "_init_weight", stop)
        with pytest.raises(error):
            net(nd.ones((1, 3)))
    assert net(nd.ones((1, 3))).asnumpy().tolist() == [[3, 3]]


def test_a_shape_is_completed_never_changed() -> None:
    made = Parameter("w", shape=(2, 0), allow_deferred_init=True)
    made.shape = (2, 5)
    with pytest.raises(AssertionError, match="does not fit the declared shape"):
        made.shape = (2, 6)
    assert made.shape == (2, 5)


def test_several_contexts_have_copies_of_their_own() -> None:
    made = Parameter("w", shape=(2,))
    contexts = [mx.cpu(0), mx.cpu(1)]
    made.initialize(mx.init.One(), ctx=contexts)
    made.data(mx.cpu(1))[:] = 5
    assert [d.asnumpy().tolist() for d in made.list_data()] == [[1, 1], [5, 5]]
    assert [d.context for d in made.list_grad()] == contexts
    with pytest.raises(RuntimeError, match=r"'w': is on \[cpu\(0\), cpu\(1\)\], not on cpu\(2\)"):
        made.data(mx.cpu(2))
    made.reset_ctx(mx.cpu(2))
    assert made.list_ctx() == [mx.cpu(2)]
    assert made.data(mx.cpu(2)).asnumpy().tolist() == [3, 3]


@pytest.mark.parametrize("hybridize", [False, True])
def test_a_net_computes_where_its_input_is(hybridize: bool) -> None:
    net = nn.Dense(2, in_units=2)
    contexts = [mx.cpu(1), mx.cpu(2)]
    net.initialize(ctx=contexts)
    net.hybridize(hybridize)
    for context in contexts:
        with autograd.record():
            y = net(nd.ones((1, 2), ctx=context))
        y.backward()
        assert y.context == context
    assert all(g.asnumpy().any() for g in net.weight.list_grad())
    with pytest.raises(RuntimeError, match=r"not on cpu\(3\)[\s\S]*as_in_context"):
        net(nd.ones((1, 2), ctx=mx.cpu(3)))


# ---------------------------------------------------------------------------------- gradients


def _step(net: Any, x: Any) -> None:
    with autograd.record():
        y = net(x)
    y.backward()


@pytest.mark.parametrize("hybridize", [False, True])
def test_gradients_are_written_added_or_left_out(hybridize: bool) -> None:
    net = nn.Dense(1, in_units=2, use_bias=False)
    net.initialize()
    net.hybridize(hybridize)
    x = nd.array([[1.0, 2.0]])
    found = []
    for request in ("write", "add", "write"):
        net.weight.grad_req = request
        net.weight.zero_grad()
        for _ in range(3):
            _step(net, x)
        found.append(net.weight.grad().asnumpy().tolist())
    assert found == [[[1, 2]], [[3, 6]], [[1, 2]]]
    net.weight.grad_req = "null"
    x.attach_grad()
    _step(net, x)
    with pytest.raises(RuntimeError, match="has no gradient, for its grad_req is 'null'"):
        net.weight.grad()
    assert x.grad.asnumpy().tolist() == net.weight.data().asnumpy().tolist()


def test_zero_grad_clears_what_is_added_up() -> None:
    net = nn.Dense(1, in_units=2)
    net.initialize()
    net.collect_params().setattr("grad_req", "add")
    for _ in range(2):
        net.collect_params().zero_grad()
        _step(net, nd.ones((1, 2)))
    assert net.bias is not None
    assert net.bias.grad().asnumpy().tolist() == [1]


def test_states_that_are_not_differentiable_never_have_gradients() -> None:
    made = parameter(differentiable=False)
    made.grad_req = "write"
    assert made.grad_req == "null"
    with pytest.raises(RuntimeError, match="no gradient"):
        made.grad()


def test_casting_keeps_the_request() -> None:
    made = parameter(grad_req="add")
    made.cast("float64")
    assert made.grad_req == "add"
    assert made.data().dtype == made.grad().dtype == np.float64
    assert made.var().attr("__dtype__") == "1"


# ------------------------------------------------------------------------------- dictionaries


def test_a_dictionary_makes_parameters_once() -> None:
    made = ParameterDict("net_")
    first = made.get("w", shape=(2, 0), allow_deferred_init=True)
    assert made.get("w", shape=(0, 3)) is first
    assert first.shape == (2, 3)
    assert list(made) == ["net_w"]
    with pytest.raises(AssertionError, match=r"shape=\(2, 3\); now shape=\(4, 3\) is asked for"):
        made.get("w", shape=(4, 3))
    with pytest.raises(AssertionError, match="dtype"):
        made.get("w", dtype="float64")


def test_a_dictionary_looks_into_the_one_it_shares() -> None:
    shared = ParameterDict("net_")
    weight = shared.get("w", shape=(2,))
    user = ParameterDict("net_", shared=shared)
    assert "net_w" not in user
    assert user.get("w") is weight
    assert list(user) == ["net_w"]
    assert user.get("v", shape=(1,)) is not weight
    assert list(shared) == ["net_w"]


def test_one_name_cannot_mean_two_parameters() -> None:
    first, second = ParameterDict(), ParameterDict()
    first.get("w", shape=(1,))
    second.get("w", shape=(2,))
    with pytest.raises(ValueError, match=r"two different parameters named 'w'[\s\S]*\(1,\)"):
        first.update(second)
    first.update(first)
    assert len(first) == 1


def test_settings_reach_all_parameters() -> None:
    net = nn.Sequential()
    net.add(nn.Dense(2, in_units=2), nn.BatchNorm(in_channels=2))
    net.collect_params(".*weight|.*bias").setattr("lr_mult", 3)
    assert {n.rpartition("_")[2]: p.lr_mult for n, p in net.collect_params().items()} == {
        "weight": 3, "bias": 3, "gamma": 1, "beta": 1, "mean": 1, "var": 1,
    }  # fmt: skip


def test_a_selection_can_be_initialized_on_its_own() -> None:
    net = nn.Dense(2, in_units=2)
    net.collect_params(".*bias").initialize()
    assert net.bias is not None
    net.bias.data()
    with pytest.raises(RuntimeError, match="weight': has not been initialized"):
        net.weight.data()


# ---------------------------------------------------------------------------------- constants


class Shifted(gluon.HybridBlock):
    def __init__(self, value: Any) -> None:
        super().__init__(prefix="shifted_")
        self.shift = self.params.get_constant("shift", value)

    def hybrid_forward(self, F: Any, x: Any, shift: Any) -> Any:
        return F.broadcast_add(x, shift)


@pytest.mark.parametrize("hybridize", [False, True])
def test_a_constant_is_a_parameter_that_does_not_learn(hybridize: bool) -> None:
    net = Shifted([[1.0, 2.0]])
    net.initialize()
    net.hybridize(hybridize)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0})
    x = nd.zeros((1, 2))
    x.attach_grad()
    for _ in range(2):
        with autograd.record():
            y = net(x)
        y.backward()
        trainer.step(1)
        assert y.asnumpy().tolist() == [[1, 2]]
    assert isinstance(net.shift, Constant)
    assert net.shift.grad_req == "null"
    assert repr(net.shift) == "Constant shifted_shift (shape=(1, 2), dtype=<class 'numpy.float32'>)"


def test_requesting_a_gradient_of_a_constant_causes_a_warning() -> None:
    net = Shifted([1.0])
    net.initialize()
    with pytest.warns(UserWarning, match="'shifted_shift' does not learn"):
        net.collect_params().setattr("grad_req", "write")
    assert net.shift.grad_req == "null"
    with pytest.raises(RuntimeError, match="no gradient"):
        net.shift.grad()


def test_a_constant_is_found_again_if_its_value_is_the_same() -> None:
    net = Shifted([1.0])
    assert net.params.get_constant("shift", [1.0]) is net.shift
    assert net.params.get_constant("shift") is net.shift
    with pytest.raises(AssertionError, match="exists with another value"):
        net.params.get_constant("shift", [2.0])
    net.params.get("weight", shape=(1,))
    with pytest.raises(AssertionError, match="is a parameter, not a constant"):
        net.params.get_constant("weight", [1.0])
    with pytest.raises(KeyError, match="there is no constant"):
        net.params.get_constant("other")


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"stype": "invalid"}, AssertionError, "stype='invalid' is no storage type"),
        ({"grad_stype": "invalid"}, AssertionError, "grad_stype='invalid' is no storage type"),
        ({"dtype": "flaot32"}, ValueError, "did you mean 'float32'"),
        ({"grad_req": "wirte"}, AssertionError, "must be one of write, add, null"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    settings: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        Parameter("w", shape=(1,), **settings)


@pytest.mark.parametrize("hybridize", [False, True])
def test_a_parameter_without_a_dtype_is_float32(hybridize: bool, tmp_path: Path) -> None:
    class Weighted(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.scale = self.params.get("scale", shape=(2,), init="ones", dtype=None)

        def hybrid_forward(self, F: Any, x: Any, scale: Any) -> Any:
            return x * scale

    net = Weighted()
    net.initialize()
    if hybridize:
        net.hybridize(compile_at_once=True)
    assert net.scale.dtype is None
    assert net(nd.ones(2)).dtype == net.scale.data().dtype == np.float32
    net.save_parameters(str(tmp_path / "net"))
    net.load_parameters(str(tmp_path / "net"))
    net.scale.set_data(nd.array([1, 2]))
    assert net.scale.data().asnumpy().tolist() == [1, 2]
