"""Streams of sizes that are never repeated: what is compiled and kept for them."""

import gc
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.codegen.bound_graph import MOST_BINDINGS
from gluonic.codegen.rewriting.preparation import Preparation
from gluonic.codegen.runtime import binding_families
from gluonic.codegen.runtime.binding_families import find_family
from gluonic.codegen.shapes.symbolic import varies
from gluonic.gluon import nn, rnn

Shape = tuple[int, ...]


def _sequential(*layers: Any) -> Any:
    net = nn.HybridSequential()
    net.add(*layers)
    return net


def _signals() -> Any:
    return _sequential(
        nn.Conv1D(20, 5, padding=2, activation="relu"),
        nn.AvgPool1D(3, 2, 1),
        nn.Conv1D(20, 5, strides=2, padding=2),
        nn.GlobalAvgPool1D(),
    )


def _images() -> Any:
    return _sequential(
        nn.Conv2D(20, 3, padding=1, use_bias=False),
        nn.BatchNorm(),
        nn.Activation("relu"),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(20, 1),
        nn.Conv2D(20, 3, strides=2, padding=1),
        nn.GlobalAvgPool2D(),
    )


def _transposed() -> Any:
    return _sequential(
        nn.Conv2D(20, 3, strides=2, padding=1),
        nn.Conv2DTranspose(20, 4, 2, 1),
        nn.Conv2DTranspose(3, 3, 2, 1, output_padding=1),
    )


class _Enlarged(gluon.HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.first, self.last = nn.Conv2D(20, 3, padding=1), nn.Conv2D(3, 3)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Images twice as large."""
        return self.last(F.UpSampling(self.first(x), scale=2, sample_type="nearest"))


def _volumes() -> Any:
    return nn.Conv3D(20, 3, padding=1)


NETS: dict[str, tuple[Callable[[], Any], Callable[[int], Shape]]] = {
    "signals": (_signals, lambda size: (1, 20, size)),
    "images": (_images, lambda size: (2, 3, size, size + 3)),
    "transposed": (_transposed, lambda size: (2, 3, size, size + 3)),
    "enlarged": (_Enlarged, lambda size: (2, 3, size, size + 3)),
    "volumes": (_volumes, lambda size: (1, 3, 4, 5, size)),
    "recurrent": (lambda: rnn.LSTM(8, layout="NTC"), lambda size: (2, size, 5)),
}
EVERY_NET = pytest.mark.parametrize("name", NETS)
EVERY_MODE = pytest.mark.parametrize("train", [False, True], ids=["forward", "step"])


def _made(name: str) -> tuple[Any, Callable[[int], Shape]]:
    make, shape = NETS[name]
    mx.random.seed(1)
    net = make()
    net.initialize(mx.init.Xavier())
    net.hybridize()
    return net, shape


def _results(net: Any, shape: Shape, *, train: bool) -> list[Any]:
    x = nd.array(np.random.default_rng(sum(shape)).standard_normal(shape).astype("f4"))
    x.attach_grad()
    with autograd.record(train) if train else autograd.pause():
        y = net(x)
    if not train:
        return [y.asnumpy()]
    y.backward()
    parameters = net.collect_params().values()
    own = [p.grad().asnumpy() for p in parameters if p.grad_req != "null"]
    return [y.asnumpy(), x.grad.asnumpy(), *own]


@EVERY_MODE
@EVERY_NET
def test_new_sizes_are_computed_by_existing_code(name: str, train: bool) -> None:
    net, shape = _made(name)
    for size in (60, 24, 41, 19, 34, 52, 20, 47, 9, 13, 15, 11, 10, 25, 26, 27):
        _results(net, shape(size), train=train)
    before = net.cache_info()
    for size in (57, 31, 28, 21, 22, 44, 53, 49, 36, 23):
        _results(net, shape(size), train=train)
    after = net.cache_info()
    assert (after.specializations, after.functions) == (before.specializations, before.functions)
    assert after.misses > before.misses


@EVERY_MODE
@EVERY_NET
def test_code_for_any_size_computes_the_bits_of_code_for_one(name: str, train: bool) -> None:
    stream, shape = _made(name)
    for size in (60, 24, 41, 19, 13):
        _results(stream, shape(size), train=train)
    for size in (8, 23):
        own, _ = _made(name)
        for found, expected in zip(
            _results(stream, shape(size), train=train),
            _results(own, shape(size), train=train),
            strict=True,
        ):
            np.testing.assert_array_equal(found, expected)


@EVERY_NET
def test_new_sizes_are_bound_by_expressions_whatever_strides_leave_of_them(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    net, shape = _made(name)
    for size in (64, 91, 74, 86, 68, 99, 121, 93):
        _results(net, shape(size), train=True)
    asked: list[Shape] = []
    fitting = Preparation.fitting

    def noted(preparation: Preparation, arrays: Any, train: bool) -> Any:
        asked.append(arrays[0].shape)
        return fitting(preparation, arrays, train)

    monkeypatch.setattr(Preparation, "fitting", noted)
    for size in (100, 111, 107, 106, 121, 108, 117, 114):
        _results(net, shape(size), train=True)
    assert not asked


def test_families_of_batches_are_found_once_the_batch_differs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    vary: list[bool] = []

    def observed(preparation: Any, made: Any, arrays: Any, *rest: Any, **more: Any) -> Any:
        vary.append(any(varies(array.shape[:1]) for array in arrays))
        return find_family(preparation, made, arrays, *rest, **more)

    monkeypatch.setattr(binding_families, "find_family", observed)
    net, _ = _made("signals")
    for length in (60, 24, 41, 19, 52):
        _results(net, (1, 20, length), train=False)
    assert vary
    assert not any(vary)
    alone = _results(net, (1, 20, 60), train=False)
    both = _results(net, (2, 20, 60), train=False)
    assert any(vary)
    assert both[0].shape == (2, *alone[0].shape[1:])


@pytest.mark.parametrize("name", ["signals", "recurrent"])
def test_memory_for_sizes_has_a_bound(name: str) -> None:
    net, shape = _made(name)

    def kept(first: int) -> int:
        for size in range(first, first + 2 * (MOST_BINDINGS + 5), 2):
            _results(net, shape(size), train=False)
        _results(net, shape(300), train=False)  # a frame has memory for the sizes that came last
        gc.collect()
        assert net.cache_info().bindings == MOST_BINDINGS
        return tracemalloc.get_traced_memory()[0]

    for size in (300, 7, 20, 31):
        _results(net, shape(size), train=False)
    tracemalloc.start()
    try:
        once, twice = kept(100), kept(101)
    finally:
        tracemalloc.stop()
    assert twice - once < 20 << 10  # a size for which a binding was kept for good would take 2 KiB
