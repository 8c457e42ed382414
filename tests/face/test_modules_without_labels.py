"""Modules without labels: in a chain, with batches that have labels, or None in their place."""

from typing import Any

import pytest

import gluonic as mx
from gluonic import nd, sym


def _batch(size: int, labels: Any) -> mx.io.DataBatch:
    return mx.io.DataBatch([nd.ones((size, 4))], labels)


@pytest.mark.parametrize("sizes", [(2, 2), (2, 1, 2), (3, 2)])
def test_a_chain_gives_its_labels_to_the_module_that_takes_them(sizes: tuple[int, ...]) -> None:
    first = sym.FullyConnected(sym.var("data"), num_hidden=3, name="first")
    last = sym.SoftmaxOutput(
        sym.FullyConnected(sym.var("data"), num_hidden=2, name="last"), name="softmax"
    )
    chain = mx.mod.SequentialModule()
    chain.add(mx.mod.Module(first, label_names=None))
    chain.add(mx.mod.Module(last), take_labels=True, auto_wiring=True)
    chain.bind([("data", (2, 4))], [("softmax_label", (2,))])
    chain.init_params(mx.init.One())
    chain.init_optimizer()
    for size in sizes:
        chain.forward(_batch(size, [nd.zeros(size)]), is_train=True)
        assert chain.get_outputs()[0].shape == (size, 2)
        chain.backward()
        chain.update()


@pytest.mark.parametrize("labels", [None, [], [None], [nd.ones(2)]])
@pytest.mark.parametrize("sizes", [(2,), (2, 3, 2)])
def test_labels_for_a_module_that_has_none_are_ignored(labels: Any, sizes: tuple[int, ...]) -> None:
    module = mx.mod.Module(sym.FullyConnected(sym.var("data"), num_hidden=2), label_names=None)
    module.bind([("data", (2, 4))])
    module.init_params()
    for size in sizes:
        module.forward(_batch(size, labels))
        assert module.get_outputs()[0].shape == (size, 2)


@pytest.mark.parametrize("labels", [None, [], [None]])
def test_a_module_with_labels_predicts_without(labels: Any) -> None:
    symbol = sym.SoftmaxOutput(sym.FullyConnected(sym.var("data"), num_hidden=2), name="softmax")
    module = mx.mod.Module(symbol)
    module.bind([("data", (2, 4))], [("softmax_label", (2,))])
    module.init_params()
    for size in (2, 3):
        module.forward(_batch(size, labels), is_train=False)
        assert module.get_outputs()[0].shape == (size, 2)
