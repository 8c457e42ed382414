"""Joining along an axis: images stay in blocks of channels, and parts are computed in place."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.codegen.convolution.filters import lanes_of
from gluonic.codegen.machine.memory import ALIGNMENT
from gluonic.codegen.machine.target import host
from gluonic.gluon import nn
from gluonic.gluon.traces import traces_of
from tests.codegen.native_functions import normal

LANES = lanes_of(host())
Forward = Callable[[Any, Any], Any]


class Branches(gluon.HybridBlock):
    """Convolutions of the same images, joined; another convolution of a part of that."""

    def __init__(self, channels: Sequence[int], take: Forward, nests: bool = False) -> None:
        super().__init__()
        self._take, self._nests = take, nests
        with self.name_scope():
            self.branches = nn.HybridSequential()
            self.branches.add(*[nn.Conv2D(n, 1) for n in channels])
            self.norm, self.last = nn.BatchNorm(), nn.Conv2D(5, 1)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Join, normalize, take a part, convolve."""
        made = [F.Activation(branch(x), act_type="relu") for branch in self.branches]
        joined = made[0]
        if self._nests:
            for each in made[1:]:
                joined = F.concat(joined, each, dim=1)
        else:
            joined = F.concat(*made, dim=1)
        active = F.Dropout(F.relu(self.norm(joined)), p=0.5)
        return self.last(self._take(F, active))


def whole(F: Any, x: Any) -> Any:
    """All channels."""
    return x


def made(net: Any, data: Any) -> Any:
    """The net with parameters that differ."""
    mx.random.seed(3)
    net.initialize(mx.init.Xavier())
    net(data)
    for parameter in net.collect_params().values():
        if parameter.data().ndim == 1:
            parameter.set_data(nd.array(np.random.default_rng(1).random(parameter.shape) + 0.5))
    return net


def check_forward(net: Any, data: Any) -> None:
    """Hybridized, the net computes what it does eagerly."""
    expected = net(data).asnumpy()
    net.hybridize()
    for _ in range(2):
        found = net(data).asnumpy()
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5 * np.abs(expected).max())


def steps_of(net: Any, data: Any) -> list[str]:
    """The operators of a hybridized net, as `explain` shows them."""
    return [operator for step in net.explain(data).steps for operator in step.operators]


@settings(max_examples=5, deadline=None)
@given(
    st.lists(st.integers(1, 2 * LANES + 1), min_size=1, max_size=3),
    st.booleans(),
    st.integers(1, 3),
)
def test_joined_images_of_any_numbers_of_channels_are_right(
    channels: list[int], nests: bool, batch: int
) -> None:
    data = nd.array(normal(batch, LANES, 6, 5))
    check_forward(made(Branches(channels, whole, nests), data), data)


@pytest.mark.parametrize("batch", [1, 3])
def test_whole_blocks_stay_blocks_when_joined(batch: int) -> None:
    data = nd.array(normal(batch, LANES, 6, 5))
    net = made(Branches([LANES, 3 * LANES], whole, nests=True), data)
    check_forward(net, data)
    names = " ".join(steps_of(net, data))
    assert names.count("_to_planes") == 1
    assert names.count("_to_blocks") == 1
    assert "Concat" in names


TAKES: dict[str, Forward] = {
    "slice_axis": lambda F, x: F.slice_axis(x, axis=1, begin=LANES, end=-LANES),
    "split": lambda F, x: F.split(x, num_outputs=2, axis=1)[1],
    "across blocks": lambda F, x: F.slice_axis(x, axis=1, begin=1, end=LANES + 2),
    "rows": lambda F, x: F.slice_axis(x, axis=2, begin=1, end=4),
    "axis dropped": lambda F, x: F.expand_dims(
        F.split(x, num_outputs=4 * LANES, axis=1, squeeze_axis=True)[2], axis=1
    ),
}


@pytest.mark.parametrize("take", TAKES.values(), ids=TAKES)
def test_channels_of_joined_images_are_sliced(take: Forward) -> None:
    data = nd.array(normal(2, LANES, 6, 5))
    check_forward(made(Branches([2 * LANES, 2 * LANES], take), data), data)


def test_whole_blocks_that_are_taken_apart_stay_blocks() -> None:
    data = nd.array(normal(2, LANES, 6, 5))
    net = made(Branches([2 * LANES, 2 * LANES], TAKES["split"]), data)
    net.hybridize()
    assert " ".join(steps_of(net, data)).count("_to_planes") == 1


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("channels", [[LANES, 2 * LANES], [LANES, 5]])
def test_gradients_of_joined_images(channels: list[int], train: bool) -> None:
    data = nd.array(normal(2, LANES, 6, 5))
    net = made(Branches(channels, TAKES["rows"]), data)
    net.norm._kwargs["use_global_stats"] = not train
    mode = autograd.predict_mode if not train else autograd.train_mode

    def gradients() -> list[Any]:
        data.attach_grad()
        with autograd.record(), mode():
            mx.random.seed(5)
            out = net(data)
        out.backward(train_mode=train)
        found = [p.grad() for p in net.collect_params().values() if p.grad_req != "null"]
        return [array.asnumpy().copy() for array in (data.grad, *found)]

    expected = gradients()
    net.hybridize()
    for _ in range(2):
        for got, right in zip(gradients(), expected, strict=True):
            np.testing.assert_allclose(got, right, rtol=1e-3, atol=1e-4 * np.abs(right).max())


def test_activations_without_machine_code_follow_convolutions() -> None:
    data = nd.array(normal(1, LANES, 6, 5) / 50)
    net = nn.HybridSequential()
    with net.name_scope():
        shares = nn.HybridLambda(
            lambda F, x: F.cast(F.softmax(x, axis=1, dtype="float64"), "float32")
        )
        net.add(nn.Conv2D(LANES, 1), shares)
    check_forward(made(net, data), data)


# -- where joined arrays live -------------------------------------------------------------------


class Joined(gluon.HybridBlock):
    """Arrays that are computed and joined along the first axis, some of them read again."""

    def __init__(self, twice: bool = False) -> None:
        super().__init__()
        self._twice = twice

    def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
        """Join; join that with others; use the parts beside."""
        a, b = F.dot(x, y), F.dot(y, x)
        first = F.concat(a, b, a if self._twice else b, dim=0)
        second = F.concat(F.dot(y, y), first, b, dim=0)
        both = F.sum(a * b) + F.sum(first)
        return F.broadcast_add(F.sum(second * second, axis=1), both)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("size", [3, 16, 33])
def test_arrays_joined_more_than_once_keep_their_values(size: int, twice: bool) -> None:
    x, y = nd.array(normal(size, size)), nd.array(normal(size, size))
    net = Joined(twice)
    expected = net(x, y).asnumpy()
    net.hybridize()
    for _ in range(2):
        np.testing.assert_allclose(net(x, y).asnumpy(), expected, rtol=1e-4, atol=1e-3)


def _addresses(net: Any) -> list[tuple[int, list[int]]]:
    """For each joined array where it lives, and where its parts do."""
    bound = traces_of(net).bound
    assert bound is not None
    (binding,) = bound.op.inference.compiled.bindings.values()
    spec = binding.specialization
    where = dict(zip(spec.buffers.transient, binding.transient.offsets, strict=True))
    return [
        (where[node.entry()], [where[spec.root.get(e, e)] for e in node.inputs])
        for node in spec.graph.nodes
        if node.operator_name == "Concat"
    ]


def test_concatenated_parts_of_one_image_are_computed_in_place() -> None:
    parts, image = [2 * LANES, LANES, LANES], 4 * 8 * 6
    for batch in (1, 2):
        data = nd.array(normal(batch, LANES, 8, 6))
        net = made(Branches(parts, whole), data)
        net.hybridize()
        net(data)
        ((start, found),) = _addresses(net)
        sizes = np.array([0, *parts[:-1]]).cumsum() * image
        assert (found == (start + sizes).tolist()) is (batch == 1)
        assert start % ALIGNMENT == 0
