"""Replayed calls have the same results as the slow path, whatever has happened in between."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd, profiler
from gluonic import context as contexts
from gluonic.gluon import nn
from gluonic.gluon.replay import EagerReplay, RecordedReplay, replay_of
from gluonic.graph.errors import MXNetError

pytestmark = pytest.mark.usefixtures("compiled_at_once")


class Two(gluon.HybridBlock):
    """A block of two inputs."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = nn.Dense(3, in_units=4)

    def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
        return self.dense(x) - 2 * self.dense(y)


def hybridized() -> Any:
    net = nn.HybridSequential()
    net.add(
        nn.Dense(5, in_units=4, activation="tanh"),
        nn.BatchNorm(in_channels=5),
        nn.Dense(3, in_units=5),
    )
    net.initialize()
    net.hybridize()
    return net


def inputs(rows: int = 2, seed: int = 0) -> nd.NDArray:
    return nd.array(np.random.default_rng(seed).standard_normal((rows, 4)), dtype="float32")


def eager(net: Any, *args: nd.NDArray) -> Any:
    net.hybridize(False)
    expected = net(*args).asnumpy()
    net.hybridize()
    return expected


def replayed(net: Any, *args: nd.NDArray) -> Any:
    """The net, after calls that have found a replay."""
    for _ in range(3):
        net(*args)
    assert replay_of(net) is not None
    return net


def gradient(net: Any, *args: nd.NDArray) -> Any:
    """The gradients of the net's parameters and inputs, computed from recorded calls."""
    for x in args:
        x.attach_grad()
    with autograd.record():
        output = net(*args) ** 2
    output.backward()
    trained = [p for p in net.collect_params().values() if p.grad_req != "null"]
    return [*(p.grad().asnumpy() for p in trained), *(x.grad.asnumpy() for x in args)]


def replayed_recorded(net: Any, *args: nd.NDArray) -> Any:
    """The net, after recorded calls that have found a replay."""
    for _ in range(3):
        gradient(net, *args)
    assert isinstance(replay_of(net), RecordedReplay)
    return net


def assert_gradients_are_right(net: Any, *args: nd.NDArray) -> None:
    found = [gradient(net, *args) for _ in range(3)]
    net.hybridize(False)
    expected = gradient(net, *args)
    for one in found:
        for a, b in zip(one, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-3)  # batch norm magnifies rounding


def initialize_again(net: Any) -> None:
    net.initialize(force_reinit=True)


def move(net: Any) -> None:
    net.collect_params().reset_ctx(contexts.cpu(0))


def another_layer(net: Any) -> None:
    net.add(nn.Dense(2, in_units=3))
    net[-1].initialize()


def convert(net: Any) -> None:
    net.cast("float64")
    net.cast("float32")


@pytest.mark.parametrize(
    "change",
    [initialize_again, move, another_layer, convert],
)
def test_a_change_of_the_parameters_is_seen_by_the_next_call(
    change: Callable[[Any], None],
) -> None:
    x = inputs()
    net = replayed(hybridized(), x)
    change(net)
    found = [net(x).asnumpy() for _ in range(3)]
    expected = eager(net, x)
    for one in found:
        np.testing.assert_allclose(one, expected, rtol=1e-5, atol=1e-6)


def freeze(net: Any) -> None:
    net[0].weight.grad_req = "null"


def overwrite(net: Any) -> None:
    net[2].weight.set_data(nd.array(np.cos(np.arange(15)).reshape(3, 5)))


@pytest.mark.parametrize(
    "change", [initialize_again, move, another_layer, convert, freeze, overwrite]
)
def test_a_change_of_the_parameters_is_seen_by_the_next_recorded_call(
    change: Callable[[Any], None],
) -> None:
    x = inputs(rows=5)
    net = replayed_recorded(hybridized(), x)
    change(net)
    assert_gradients_are_right(net, x)


def test_recorded_inputs_of_other_shapes_and_dtypes_are_computed_with() -> None:
    net = replayed_recorded(hybridized(), inputs(rows=5))
    assert_gradients_are_right(net, inputs(rows=7, seed=2))


def test_a_recorded_input_may_have_a_gradient_or_none() -> None:
    x = inputs(rows=5)
    net = replayed_recorded(hybridized(), x)
    with autograd.record():
        of_constant = net(inputs(rows=5, seed=3)) ** 2
    of_constant.backward()
    found = net[0].weight.grad().asnumpy()
    y = inputs(rows=5, seed=3)
    assert_gradients_are_right(net, y)
    np.testing.assert_allclose(found, net[0].weight.grad().asnumpy(), rtol=1e-3, atol=1e-3)


def test_a_recorded_call_twice_adds_both_gradients() -> None:
    x, y = inputs(rows=5), inputs(rows=5, seed=5)
    net = replayed_recorded(hybridized(), x)
    with autograd.record():
        both = net(x) ** 2 + 3 * net(y) ** 2
    both.backward()
    found = net[2].weight.grad().asnumpy()
    gradient(net, x)
    expected = net[2].weight.grad().asnumpy()
    gradient(net, y)
    expected = expected + 3 * net[2].weight.grad().asnumpy()
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-3)


def test_inputs_on_contexts_that_are_equal_are_replayed() -> None:
    net = Two()
    net.initialize()
    net.hybridize()
    x, y = inputs(), inputs(seed=1)
    expected = eager(net, x, y)
    replay = replay_of(replayed_recorded(net, x, y))
    elsewhere = nd.array(x, ctx=contexts.cpu(0))
    elsewhere.attach_grad()
    with autograd.record():
        found = net(elsewhere, y)
    assert replay_of(net) is replay
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5, atol=1e-6)


class Product(mx.operator.CustomOp):
    """A product, which Python computes whatever the compiler learns."""

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.assign(out_data[0], req[0], in_data[0] * in_data[1])

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        for i in (0, 1):
            self.assign(in_grad[i], req[i], out_grad[0] * in_data[1 - i])


@mx.operator.register("product_in_python")
class ProductProp(mx.operator.CustomOpProp):
    def list_arguments(self) -> list[str]:
        return ["lhs", "rhs"]

    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> Product:
        return Product()


def product(F: Any, x: Any, y: Any) -> Any:
    """A product by an operator that Python runs."""
    return F.Custom(x, y, op_type="product_in_python")


class Squares(gluon.HybridBlock):
    """A block of which Python runs an operator."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = nn.Dense(6, in_units=4)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        y = self.dense(x)
        return product(F, y, y)


def test_graphs_of_which_python_runs_a_part_are_replayed_and_see_new_parameters() -> None:
    net, x = Squares(), inputs()
    net.initialize()
    net.hybridize()
    for weight in (nd.ones((6, 4)), nd.array(np.cos(np.arange(24)).reshape(6, 4))):
        assert isinstance(replay_of(replayed(net, x)), RecordedReplay)
        net.dense.weight.set_data(weight)
        found = [net(x).asnumpy() for _ in range(3)]
        expected = (x.asnumpy() @ weight.asnumpy().T) ** 2
        for one in found:
            np.testing.assert_allclose(one, expected, rtol=1e-5, atol=1e-6)


class Only(gluon.HybridBlock):
    """A block that is one operator, which Python runs."""

    def __init__(self, compute: Callable[..., Any]) -> None:
        super().__init__()
        self.compute = compute

    def hybrid_forward(self, F: Any, *inputs: Any) -> Any:
        return self.compute(F, *inputs)


@pytest.mark.parametrize(
    ("compute", "count"),
    [
        (lambda F, x: product(F, product(F, x, x), x), 1),
        (lambda F, x, y: product(F, y, x), 2),
        (lambda F, x: product(F, x, x), 1),
    ],
)
def test_an_operator_that_python_runs_is_computed_as_eagerly(
    compute: Callable[..., Any], count: int
) -> None:
    net = Only(compute)
    net.hybridize()
    for rows in (4, 5, 4):
        args = [inputs(rows, seed) for seed in range(count)]
        found = [replayed(net, *args)(*args).asnumpy() for _ in range(3)]
        assert isinstance(replay_of(net), EagerReplay)
        for one in found:
            np.testing.assert_array_equal(one, eager(net, *args))


def test_the_gradient_of_an_operator_that_python_runs_is_computed_as_eagerly() -> None:
    net = Only(lambda F, x: product(F, x, x))
    net.hybridize()
    for rows in (4, 5, 4):
        assert_gradients_are_right(net, inputs(rows))
        net.hybridize()
    for _ in range(3):
        gradient(net, inputs())
    assert isinstance(replay_of(net), EagerReplay)


class Products(gluon.HybridBlock):
    """A block of several operators, all of which Python runs, with a parameter and nested outputs."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = self.params.get("weight", shape=(2, 4), init="ones")

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        first = product(F, x, weight)
        return first, [product(F, first, x), product(F, first, weight)]


def test_operators_that_python_runs_see_new_parameters_and_return_what_is_nested() -> None:
    net, x = Products(), inputs()
    net.initialize()
    net.hybridize()
    for weight in (nd.ones((2, 4)), nd.array(np.cos(np.arange(8)).reshape(2, 4))):
        replayed(net, x)
        net.weight.set_data(weight)
        assert isinstance(replay_of(net), EagerReplay)
        first, (second, third) = net(x)
        net.hybridize(False)
        expected = net(x)
        net.hybridize()
        for one, other in zip((first, second, third), (expected[0], *expected[1]), strict=True):
            np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


class Counting(mx.operator.CustomOp):
    """Adds how often it has been called."""

    def __init__(self) -> None:
        self.calls = 0

    def forward(self, is_train: Any, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        self.calls += 1
        self.assign(out_data[0], req[0], in_data[0] + self.calls)

    def backward(
        self, req: Any, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any, aux: Any
    ) -> None:
        self.assign(in_grad[0], req[0], out_grad[0] * self.calls)


@mx.operator.register("counting_of_repeats")
class CountingProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> Counting:
        return Counting()


@pytest.mark.parametrize("flags", [{}, {"compile_at_once": True}])
def test_a_custom_operator_alone_is_created_for_each_call(flags: dict[str, bool]) -> None:
    net, x = Only(lambda F, x: F.Custom(x, op_type="counting_of_repeats")), nd.zeros((2,))
    net.hybridize(**flags)
    assert [net(x)[0].asscalar() for _ in range(5)] == [1] * 5


def test_a_custom_operator_of_a_static_graph_keeps_its_object_in_replays_too() -> None:
    net, x = Only(lambda F, x: F.Custom(x, op_type="counting_of_repeats")), nd.zeros((2,))
    net.hybridize(static_alloc=True, static_shape=True)
    assert [net(x)[0].asscalar() for _ in range(6)] == [1, 2, 3, 4, 5, 6]
    assert isinstance(replay_of(net), EagerReplay)
    assert net(nd.zeros((3,)))[0].asscalar() == 1  # of another kind of call
    assert net(x)[0].asscalar() == 7
    x.attach_grad()
    for count in range(1, 5):
        with autograd.record():
            y = net(x)
        y.backward()
        assert x.grad.asnumpy().tolist() == [count] * 2
    assert isinstance(replay_of(net), EagerReplay)


def test_an_error_in_the_inputs_of_an_operator_alone_names_line_and_block() -> None:
    net = Only(product)
    net.hybridize()
    for _ in range(4):
        net(nd.ones((2, 3)), nd.ones((2, 3)))
    assert isinstance(replay_of(net), EagerReplay)
    with pytest.raises(MXNetError, match=rf"(?s)in product.*in block {net.name}"):
        net(nd.ones((2, 3)), nd.ones((2, 5)))
    assert net(nd.ones((2, 3)), nd.ones((2, 3))).shape == (2, 3)


def test_an_error_in_the_numbers_alone_names_line_and_block() -> None:
    net = Only(lambda F, x: F.linalg.potrf(x))
    net.hybridize()
    for _ in range(4):
        net(nd.eye(3))
    assert isinstance(replay_of(net), EagerReplay)
    with pytest.raises(MXNetError, match=rf"(?s)in <lambda>.*in block {net.name}"):
        net(-nd.eye(3))
    assert net(nd.eye(3)).asnumpy().tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("req", ["write", "add"])
def test_gradients_that_are_passed_through_are_copied(req: str) -> None:
    net, (x, y) = Only(lambda F, x, y: x + y), (inputs(seed=1), inputs(seed=2))
    net.hybridize()
    head = nd.array(np.arange(8).reshape(2, 4), dtype="float32")
    for a in (x, y):
        a.attach_grad(grad_req=req)
    for count in range(1, 5):
        with autograd.record():
            z = net(x, net(x, y))
        z.backward(head)
        times = count if req == "add" else 1
        np.testing.assert_array_equal(x.grad.asnumpy(), 2 * times * head.asnumpy())
        np.testing.assert_array_equal(y.grad.asnumpy(), times * head.asnumpy())
    y.grad[:] = -1
    np.testing.assert_array_equal(head.asnumpy().ravel(), np.arange(8))
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * times * head.asnumpy())
    for returned in autograd.grad([net_of_recorded(net, x, y)], [x, y], head_grads=[head]):
        returned[:] = -1
    np.testing.assert_array_equal(head.asnumpy().ravel(), np.arange(8))


def net_of_recorded(net: Any, *args: nd.NDArray) -> nd.NDArray:
    """What a net computes, recorded."""
    with autograd.record():
        output: nd.NDArray = net(*args)
    return output


def test_an_error_in_a_recorded_call_names_the_block() -> None:
    net = replayed_recorded(hybridized(), inputs(rows=5))
    with autograd.record(), pytest.raises(MXNetError, match=net.name):
        net(nd.ones((2, 9)))
    assert_gradients_are_right(net, inputs(rows=5))


def test_a_net_trains_as_it_does_eagerly() -> None:
    losses = []
    for compiled in (True, False):
        net = hybridized()
        net.initialize(force_reinit=True)
        for number, parameter in enumerate(net.collect_params().values()):
            if parameter.grad_req != "null":
                values = np.cos(np.arange(number, number + parameter.data().size))
                parameter.set_data(nd.array(0.1 * values.reshape(parameter.shape)))
        net.hybridize(compiled)
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
        for step in range(6):
            with autograd.record():
                loss = (net(inputs(rows=4, seed=step)) ** 2).mean()
            loss.backward()
            trainer.step(1)
            losses.append(loss.asscalar())
    np.testing.assert_allclose(losses[:6], losses[6:], rtol=1e-4)


def test_inputs_of_ever_new_sizes_are_replayed_with_the_current_parameters() -> None:
    net = replayed(hybridized(), inputs(2))
    for rows in (3, 5):
        replayed(net, inputs(rows))
    replay = replay_of(net)
    for rows in (7, 2, 9, 100, 4, 1, 8):
        x = inputs(rows, seed=rows)
        found = [net(x).asnumpy() for _ in range(2)]
        assert replay_of(net) is replay
        net[2].bias.set_data(nd.ones(3) * rows)
        other = net(x).asnumpy()
        twin = eager(net, x)
        np.testing.assert_allclose(other, twin, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(*found)
        assert not np.allclose(found[0], other)
        replay = replay_of(replayed(net, x))


def test_sizes_that_have_machine_code_of_their_own_are_replayed_in_turn() -> None:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(20, 3, padding=1, in_channels=3), nn.MaxPool2D(2, 2))
    net.initialize()
    random = np.random.default_rng(0)
    images = [
        nd.array(random.standard_normal((2, 3, size, size + 3)), dtype="float32")
        for size in (60, 24, 41, 19, 34, 52, 20, 47, 9)
    ]
    weights = [nd.array(random.standard_normal((20, 3, 3, 3)), dtype="float32") for _ in range(2)]

    def results(weight: nd.NDArray) -> list[Any]:
        net[0].weight.set_data(weight)
        return [net(x).asnumpy() for x in images]

    expected = [results(weight) for weight in weights]
    net.hybridize(compile_at_once=True)
    for x in (*images, *images):
        replayed(net, x)
    assert net.cache_info().specializations > 1
    for weight, of_weight in zip(weights, expected, strict=True):
        results(weight)
        for _ in range(2):
            replay = replay_of(net)
            found = [net(x).asnumpy() for x in images]
        assert replay is not None
        assert replay_of(net) is replay
        for one, other in zip(found, of_weight, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_one_of_several_inputs_may_have_another_size() -> None:
    net = Two()
    net.initialize()
    net.hybridize()
    for rows in (1, 3, 4, 6):
        replayed(net, inputs(rows), inputs(rows, seed=1))
    one, many = inputs(1), inputs(5, seed=2)
    with pytest.raises(MXNetError, match="elemwise_sub"):
        net(inputs(2), many)
    for x, y in ((many, many), (inputs(6), inputs(6, seed=5)), (one, one)):
        np.testing.assert_allclose(net(x, y).asnumpy(), eager(net, x, y), rtol=1e-5, atol=1e-6)


def test_sizes_that_come_again_and_again_are_hits_and_others_misses() -> None:
    net = replayed(hybridized(), inputs(2))
    for rows in (3, 4):
        replayed(net, inputs(rows))
    before = net.cache_info()
    for rows in (5, 3, 6, 5):
        net(inputs(rows))
    after = net.cache_info()
    assert (after.misses - before.misses, after.hits - before.hits) == (2, 2)


def test_inputs_of_all_kinds_are_computed_with() -> None:
    net = replayed(hybridized(), inputs())
    given = [inputs(seed=1), inputs(rows=7), inputs(), nd.ones((5, 6))[1:3, :4]]
    found = [net(x).asnumpy() for x in given]
    for x, one in zip(given, found, strict=True):
        np.testing.assert_allclose(one, eager(net, x), rtol=1e-5, atol=1e-6)


def test_an_input_that_is_overwritten_is_read_again() -> None:
    x = inputs()
    net = replayed(hybridized(), x)
    x[:] = 3
    np.testing.assert_allclose(net(x).asnumpy(), eager(net, x), rtol=1e-5, atol=1e-6)


def test_each_call_returns_an_array_of_its_own() -> None:
    x = inputs()
    net = replayed(hybridized(), x)
    first, second = net(x), net(x)
    first[:] = 0
    assert np.abs(second.asnumpy()).min() > 0


def test_replays_respect_training_and_recording() -> None:
    x = inputs()
    net = replayed(hybridized(), x)
    before = net(x).asnumpy()
    with autograd.train_mode():
        trained = net(x).asnumpy()
    with autograd.record():
        recorded = net(x) ** 2  # the sum of what batch norm gives is the same whatever goes in
    recorded.backward()
    assert np.abs(trained - before).max() > 1e-3
    assert np.abs(net[0].weight.grad().asnumpy()).max() > 0


def test_several_inputs_are_distinguished() -> None:
    net = Two()
    net.initialize()
    net.hybridize()
    x, y = inputs(), inputs(seed=1)
    replayed(net, x, y)
    np.testing.assert_allclose(net(y, x).asnumpy(), eager(net, y, x), rtol=1e-5, atol=1e-6)


def test_a_wrong_number_of_inputs_is_refused() -> None:
    net = replayed(hybridized(), inputs())
    with pytest.raises(TypeError):
        net(inputs(), inputs())


def test_hooks_registered_later_run() -> None:
    x = inputs()
    seen: list[str] = []
    net = replayed(hybridized(), x)
    net.register_forward_hook(lambda *_: seen.append("after"))
    net(x)
    net.register_forward_pre_hook(lambda *_: seen.append("before"))
    net(x)
    assert seen == ["after", "before", "after"]


def test_operator_hooks_registered_later_run() -> None:
    x = inputs()
    seen: list[str] = []
    net = replayed(hybridized(), x)
    net.register_op_hook(lambda name, *_: seen.append(name))
    net(x)
    assert seen


def test_the_profiler_sees_the_call() -> None:
    x = inputs()
    net = replayed(hybridized(), x)
    profiler.set_config(profile_all=True, aggregate_stats=True)
    profiler.set_state("run")
    net(x)
    profiler.set_state("stop")
    assert net.name in profiler.dumps(reset=True)


def test_threads_share_a_net() -> None:
    net = replayed(hybridized(), inputs())
    given = [inputs(seed=seed) for seed in range(8)]
    expected = [eager(net, x) for x in given]
    replayed(net, inputs())
    wrong = []

    def work(x: nd.NDArray, right: Any) -> None:
        for _ in range(200):
            if not np.allclose(net(x).asnumpy(), right, rtol=1e-5, atol=1e-6):
                wrong.append(x)

    threads = [
        threading.Thread(target=work, args=pair) for pair in zip(given, expected, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
