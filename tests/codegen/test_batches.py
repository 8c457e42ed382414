"""What is compiled for another batch size, and what is not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.runtime import arena as arena_module
from gluonic.codegen.shapes import facts as facts_module
from gluonic.gluon import nn
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import Run
from gluonic.graph.random_source import RandomSource


def _of_images() -> Any:
    """A small net of images, some of whose filters and weights are packed."""
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(
            nn.Conv2D(20, 3, activation="relu"),
            nn.BatchNorm(),
            nn.MaxPool2D(),
            nn.Dense(40, activation="relu"),
            nn.Dense(10),
        )
    return net


def hybridized(net: Any) -> Any:
    """The net, ready to be compiled."""
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net


def image_net() -> Any:
    """The net of images, ready to be compiled."""
    return hybridized(_of_images())


def images(batch: int) -> Any:
    """Images that differ from each other."""
    return nd.array(np.random.default_rng(batch).normal(size=(batch, 3, 12, 12)))


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[CompiledGraph]:
    """All graphs that are compiled from now on."""
    made: list[CompiledGraph] = []
    original = CompiledGraph.__init__

    def noting(self: CompiledGraph, *args: Any, **options: Any) -> None:
        original(self, *args, **options)
        made.append(self)

    monkeypatch.setattr(CompiledGraph, "__init__", noting)
    return made


def test_prepacked_values_are_computed_once_for_all_batch_sizes(
    graphs: list[CompiledGraph],
) -> None:
    net = image_net()
    for batch in (4, 9, 1, 4, 30):
        net(images(batch))
    (graph,) = graphs
    (specialization,) = graph.specializations
    (frame,) = graph.pools[specialization.executable].frames
    assert specialization.prepacked
    assert frame.prepackings == 1
    weight = net[0].weight
    weight.set_data(weight.data() * 2)
    for batch in (9, 30, 4):
        net(images(batch))
    assert frame.prepackings == 2


def test_parameters_that_change_between_batch_sizes_are_noticed() -> None:
    net, plain = image_net(), image_net()
    trainer_weight = net[0].weight
    net(images(3)), plain(images(3))
    plain.hybridize(False)
    for turn, batch in enumerate((5, 3, 1, 5, 8)):
        trainer_weight.set_data(nd.ones(trainer_weight.shape) * (turn - 2) / 10)
        for name, parameter in plain.collect_params().items():
            other = net.collect_params()[name.replace(plain.prefix, net.prefix)]
            parameter.set_data(other.data())
        found, expected = net(images(batch)), plain(images(batch))
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=2e-5, atol=2e-5)


def test_memory_of_the_largest_batch_serves_the_smaller_ones(graphs: list[CompiledGraph]) -> None:
    net = image_net()
    net(images(64))
    (graph,) = graphs
    executable = graph.specializations[0].executable
    (frame,) = graph.pools[executable].frames
    slots = executable.call.transient
    largest = [frame.slots[slot] for slot in slots]
    for batch in (5, 63, 1):
        net(images(batch))
        assert [frame.slots[slot] for slot in slots] == largest
    net(images(65))
    assert [frame.slots[slot] for slot in slots] != largest


def test_a_batch_too_large_for_memory_does_not_affect_smaller_ones(
    graphs: list[CompiledGraph], monkeypatch: pytest.MonkeyPatch
) -> None:
    net = image_net()
    expected = net(images(5)).asnumpy()

    def refuse(*_: Any) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(arena_module, "allocated", refuse)
        with pytest.raises(MemoryError):
            net(images(640))
    np.testing.assert_array_equal(net(images(5)).asnumpy(), expected)
    net(images(4))
    (graph,) = graphs
    *_, too_large, _, smaller = graph.bindings.values()
    assert smaller.transient.size * 100 < too_large.transient.size


def test_a_parameter_of_another_shape_is_prepacked_again() -> None:
    x, weight = Node(None, "x"), Node(None, "weight")
    dense = make_node(
        "FullyConnected", [x.entry(), weight.entry()], {"num_hidden": 96, "no_bias": True}
    )
    graph = CompiledGraph(Graph([dense.entry()]), [x, weight], [weight])
    random = np.random.default_rng(0)
    for rows, length in ((64, 500), (32, 40), (64, 500)):
        arrays = [random.normal(size=s).astype("float32") for s in ((rows, length), (96, length))]
        (found,) = graph(arrays, Run(train=False, random=RandomSource(0)))
        np.testing.assert_allclose(found, arrays[0] @ arrays[1].T, rtol=1e-4, atol=1e-4)


class Heads(gluon.HybridBlock):
    """Attention, with reshapes by special codes that fold the batch into other axes and back."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.q, self.k, self.v, self.o = (nn.Dense(12, flatten=False) for _ in range(4))
            self.norm = nn.LayerNorm()

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Compute."""

        def heads(t: Any) -> Any:
            t = F.transpose(F.reshape(t, (0, 0, 3, -1)), (0, 2, 1, 3))
            return F.reshape(t, (-1, 0, 0), reverse=True)

        y = self.norm(x)
        q, k, v = heads(self.q(y)), heads(self.k(y)), heads(self.v(y))
        shares = F.softmax(F.batch_dot(q, k, transpose_b=True) / 2)
        joined = F.reshape(F.batch_dot(shares, v), (-1, 3, 0, 0), reverse=True)
        return x + self.o(F.reshape(F.transpose(joined, (0, 2, 1, 3)), (0, 0, -1)))


class Cuts(gluon.HybridBlock):
    """Slices along the batch, a fold of pairs, and a mean over all of the batch."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Compute."""
        flat = F.reshape(x, (-1,))
        centred = F.broadcast_sub(x, F.mean(x, axis=0, keepdims=True))
        first = F.slice_axis(centred, axis=0, begin=0, end=1)
        turned = F.reverse(F.slice(x, begin=(None, 1), end=(None, 4)), axis=0)
        return F.concat(first, centred, dim=0), turned, F.sum(flat), F.shape_array(x)


class Loops(gluon.HybridBlock):
    """Control flow along the batch."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Compute."""
        total, last = F.contrib.foreach(lambda e, s: (e * s, s + e), x, F.sum(x * 0, axis=0) + 1)
        return F.concat(total, F.expand_dims(last, 0), dim=0)


class Chosen(gluon.HybridBlock):
    """Rows that only the data choose."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Compute."""
        return F.contrib.boolean_mask(x * 2, F.sum(x, axis=1) > 0)


@mx.operator.register("halves_of_a_batch")
class _HalvesProp(mx.operator.CustomOpProp):
    """A custom operator whose shape is arbitrary Python."""

    def infer_shape(self, in_shape: Any) -> Any:
        """Half the batch, if it is large."""
        rows, columns = in_shape[0]
        return in_shape, [(rows // 2 if rows > 4 else rows, columns)], []

    def create_operator(self, ctx: Any, shapes: Any, dtypes: Any) -> Any:
        """The operator."""
        return _Halves()


class _Halves(mx.operator.CustomOp):
    def forward(self, is_train: bool, req: Any, in_data: Any, out_data: Any, aux: Any) -> None:
        """Some of the rows."""
        self.assign(out_data[0], req[0], in_data[0][: out_data[0].shape[0]])


class Halved(gluon.HybridBlock):
    """A custom operator between others."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Compute."""
        return F.Custom(F.tanh(x), op_type="halves_of_a_batch") + 1


def _dense(*sizes: int) -> Any:
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(*(nn.Dense(size, activation="tanh") for size in sizes))
    return net


def _unrolled() -> Any:
    cell = gluon.rnn.LSTMCell(6)

    class Unrolled(gluon.HybridBlock):
        def __init__(self) -> None:
            super().__init__()
            self.cell = cell

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return self.cell.unroll(5, x, layout="NTC", merge_outputs=True)[0]

    return Unrolled()


NETS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "images": (_of_images, (3, 12, 12)),
    "dense": (lambda: _dense(70, 5), (9,)),
    "heads": (Heads, (5, 12)),
    "cuts": (Cuts, (6,)),
    "loops": (Loops, (4,)),
    "chosen": (Chosen, (4,)),
    "custom": (Halved, (3,)),
    "unrolled": (_unrolled, (5, 4)),
}
SIZES = (*range(1, 10), 64, 65, 100)


def _outputs(net: Any, x: Any) -> list[Any]:
    found = net(x)
    return [y.asnumpy() for y in (found if isinstance(found, (list, tuple)) else [found])]


def _with_twin(name: str) -> tuple[Any, Any]:
    """A net that is compiled, and one of the same parameters that runs eagerly."""
    make, shape = NETS[name]
    net, twin = hybridized(make()), make()
    twin.initialize()
    x = nd.zeros((3, *shape))
    net(x), twin(x)
    own, others = (n.collect_params().values() for n in (net, twin))
    for parameter, other in zip(own, others, strict=True):
        other.set_data(parameter.data())
    return net, twin


@pytest.mark.parametrize("name", NETS)
@settings(max_examples=1, deadline=None)
@given(sizes=st.permutations(SIZES))
def test_batch_sizes_in_any_order_give_what_an_eager_twin_gives(
    name: str, sizes: list[int]
) -> None:
    net, twin = _with_twin(name)
    for size in sizes:
        x = nd.array(np.random.default_rng(size).normal(size=(size, *NETS[name][1])))
        for found, expected in zip(_outputs(net, x), _outputs(twin, x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def _gradients(net: Any, x: Any) -> list[Any]:
    with mx.autograd.record():
        loss = (net(x) ** 2).mean()
    loss.backward()
    params = net.collect_params().values()
    return [p.grad().asnumpy() for p in params if p.grad_req != "null"]


@pytest.mark.parametrize("name", ["images", "dense", "heads", "unrolled"])
def test_gradients_of_batches_of_any_size_are_those_of_an_eager_twin(name: str) -> None:
    net, twin = _with_twin(name)
    for size in (4, 7, 1, 64, 5, 100, 9, 65):
        x = nd.array(np.random.default_rng(size).normal(size=(size, *NETS[name][1])))
        for found, expected in zip(_gradients(net, x), _gradients(twin, x), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("name", ["images", "dense", "heads", "unrolled"])
def test_another_batch_size_infers_no_operator_again(
    name: str, train: bool, graphs: list[CompiledGraph], monkeypatch: pytest.MonkeyPatch
) -> None:
    make, shape = NETS[name]
    monkeypatch.setenv("GLUONIC_NUM_THREADS", "2")  # the division of work depends on the batch
    net = hybridized(make())

    def call(size: int) -> None:
        x = nd.ones((size, *shape))
        if train:
            _gradients(net, x)
        else:
            net(x)

    call(4)
    asked: list[str] = []
    for what in ("right_for", "bind_new"):
        for graph in graphs:
            monkeypatch.setattr(graph.specializer, what, lambda *_, what=what: asked.append(what))
    call(7)  # the first other size is what the family is found for
    monkeypatch.setattr(facts_module, "signature", lambda *_: asked.append("signature"))
    for size in (5, 1, 64, 2, 9, 64):
        call(size)
    assert not asked
    info = net.cache_info()
    assert info.specializations == (2 if train else 1)
    assert info.bindings == info.misses == 7 * info.specializations


def test_a_batch_of_one_that_is_squeezed_away_has_a_gradient() -> None:
    net = hybridized(nn.HybridLambda(lambda F, x, y: F.broadcast_add(F.squeeze(x), y)))
    x, y = nd.ones((1, 30)), nd.ones((1,))
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        total = net(x, y)
    total.backward()
    assert total.shape == (30,)
    np.testing.assert_array_equal(x.grad.asnumpy(), np.ones((1, 30)))
    np.testing.assert_array_equal(y.grad.asnumpy(), [30])
