"""Gluon's layers and losses where it works on arrays of `mx.np`: what they give on arrays of `mx.nd`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from gluonic import autograd, gluon, nd, util
from gluonic.ndarray.numpy.array import ndarray
from tests.measured import layers, losses


@pytest.fixture(autouse=True)
def switched_off() -> Iterator[None]:
    yield
    util.reset_np()


def parameters_of(block: gluon.Block) -> list[Any]:
    return list(block.collect_params().values())


def with_gradients(block: gluon.Block, inputs: list[Any]) -> list[Any]:
    """The output, and the gradients of the inputs and of the parameters."""
    for x in inputs:
        x.attach_grad()
    with autograd.record():
        output = block(*inputs)
    output.backward()
    found = [output, *(x.grad for x in inputs)]
    return [*found, *(p.grad() for p in parameters_of(block) if p.grad_req != "null")]


def compare(make: Any, elements: list[Any], hybridized: bool) -> None:
    """Run a block on arrays of both classes, with equal parameters."""
    block = make()
    block.initialize()
    expected = with_gradients(block, [nd.array(e, dtype=e.dtype) for e in elements])
    values = [p.data().asnumpy() for p in parameters_of(block)]
    util.set_np()
    other = make()
    other.initialize()
    if hybridized:
        other.hybridize()
    arrays = [nd.array(e, dtype=e.dtype).as_np_ndarray() for e in elements]
    with autograd.pause():
        other(*arrays)
    for parameter, value in zip(parameters_of(other), values, strict=True):
        assert type(parameter.data()) is ndarray
        parameter.set_data(value)
    found = with_gradients(other, arrays)
    assert {type(one) for one in found} == {ndarray}
    for one, wanted in zip(found, expected, strict=True):
        assert (one.shape, one.dtype) == (wanted.shape, np.dtype(wanted.dtype))
        np.testing.assert_allclose(one.asnumpy(), wanted.asnumpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("name", layers.CASES)
def test_a_layer_gives_the_numbers_that_it_gives_without_the_switch(
    name: str, hybridized: bool
) -> None:
    kind, arguments, settings, shape = layers.CASES[name]
    elements = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    compare(lambda: getattr(gluon.nn, kind)(*arguments, **settings), [elements], hybridized)


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize(
    "name", [n for n, c in losses.CASES.items() if all(x is not None for x in c[3])]
)
def test_a_loss_gives_the_numbers_that_it_gives_without_the_switch(
    name: str, hybridized: bool
) -> None:
    kind, settings, prediction, others = losses.CASES[name]
    compare(lambda: getattr(gluon.loss, kind)(**settings), [prediction, *others], hybridized)
