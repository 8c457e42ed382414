"""Groups with one key have the same machine code, so that it is written once."""

from collections.abc import Callable
from typing import Any

import pytest

from gluonic import autograd, gluon, nd
from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.native import module as native
from gluonic.codegen.native import written
from gluonic.codegen.native.written import WrittenFunctions
from gluonic.gluon import nn


class _Checked(native.SharedFunctions):
    """Writes every function and checks that the key would have found the same."""

    def name_of(self, group: Group) -> str:
        key, name = group.step.code, self._written(group)
        if key is not None:
            same = self._known.setdefault(key, name)
            assert same == name, f"{group.label} shares a key, but no code"
            assert self._written(group, anew=False) == name, f"{group.label} differs elsewhere"
        return name


class _Cells(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.cell = gluon.rnn.LSTMCell(16)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.cell.unroll(5, x, layout="NTC", merge_outputs=True)[0]


class _Mixed(gluon.HybridBlock):
    """The same operators over other shapes, axes, parts and orders of operands."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        parts = [F.slice_axis(x, axis=1, begin=i, end=i + 2) for i in range(3)]
        sums = [F.broadcast_sub(p, F.sum(p, axis=a, keepdims=True)) for p in parts for a in (0, 1)]
        swapped = [F.broadcast_sub(F.sum(p, axis=1, keepdims=True), p) for p in parts]
        powers = [F.tanh(p * factor) ** 2 for p in parts for factor in (2, 3)]
        return F.concat(*sums, *swapped, *powers, dim=1)


def _images() -> gluon.HybridBlock:
    net = nn.HybridSequential()
    with net.name_scope():
        for strides in (1, 1, 2):
            net.add(nn.Conv2D(16, 3, padding=1, strides=strides), nn.BatchNorm())
            net.add(nn.Activation("relu"))
        net.add(nn.MaxPool2D(), nn.Flatten(), nn.Dense(12, activation="tanh"), nn.Dense(12))
    return net


@pytest.mark.parametrize(
    ("make", "shape"),
    [(_images, (2, 16, 16, 16)), (_Cells, (4, 5, 8)), (_Mixed, (6, 4)), (_Mixed, (1, 4))],
)
def test_a_key_decides_the_code(
    make: Callable[[], gluon.HybridBlock], shape: tuple[int, ...], monkeypatch: Any
) -> None:
    monkeypatch.setattr(native, "SharedFunctions", _Checked)
    net = make()
    net.initialize()
    net.hybridize()
    x = nd.random.normal(shape=shape)
    x.attach_grad()
    net(x)
    with autograd.record():
        y = net(x)
    y.backward()


def test_layers_that_repeat_share_a_key() -> None:
    net = _images()
    net.initialize()
    net.hybridize()
    table = net.explain(nd.ones((2, 16, 16, 16)))
    convolutions = [step for step in table.steps if "_convolve_blocks" in step.operators[0]]
    assert len(convolutions) > len({step.function for step in convolutions})


def test_texts_of_functions_are_kept_within_a_bound(monkeypatch: Any) -> None:
    kept = WrittenFunctions()
    monkeypatch.setattr(native, "WRITTEN", kept)
    monkeypatch.setattr(written, "MOST_BYTES", 1 << 16)
    for channels in (8, 16, 24):
        net = nn.HybridSequential()
        net.add(nn.Conv2D(channels, 3), nn.MaxPool2D(), nn.Conv2D(channels, 1), nn.Dense(3))
        net.initialize()
        net.hybridize()
        net(nd.ones((2, 3, 14, 14)))
        assert 0 < kept.size <= 1 << 16
