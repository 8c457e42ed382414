"""Of which class results are: `mx.nd.NDArray` or `mx.np.ndarray`, `mx.sym.Symbol` or `mx.sym.np._Symbol`."""

from typing import Any

import numpy as np
import pytest

from gluonic import autograd, gluon, nd, sym, util
from gluonic.gluon import nn
from gluonic.graph.numpy_names import is_numpy_name
from gluonic.graph.operator import REGISTRY
from gluonic.ndarray.numpy.array import ndarray
from gluonic.symbol.numpy.symbols import _Symbol
from tests.graph.registry_samples import SAMPLES

NAMES_OF_ND = [
    (name, op.name)
    for op in map(REGISTRY.get, SAMPLES)
    if op is not None
    for name in (op.name, *op.aliases)
    if not is_numpy_name(name) and hasattr(nd, name) and hasattr(sym, name)
]


def array(*shape: int) -> Any:
    return nd.ones(shape).as_np_ndarray()


def test_both_classes_share_elements_and_the_tape_entry() -> None:
    x = nd.ones((2, 3))
    y = x.as_np_ndarray()
    assert type(y) is ndarray
    assert type(y.as_nd_ndarray()) is nd.NDArray
    x[:] = 5
    assert y.asnumpy().tolist() == [[5, 5, 5], [5, 5, 5]]
    x.attach_grad()
    with autograd.record():
        z = nd.square(x).as_np_ndarray()
    z.backward()
    assert x.grad.asnumpy().tolist() == [[10, 10, 10], [10, 10, 10]]


def test_a_gradient_buffer_is_of_the_class_of_its_variable() -> None:
    x = array(2)
    x.attach_grad()
    assert type(x.grad) is ndarray
    assert type(x.as_nd_ndarray().grad) is nd.NDArray
    assert np.shares_memory(x.grad.elements, x.as_nd_ndarray().grad.elements)


@pytest.mark.parametrize(
    "compute",
    [
        nd.relu,
        lambda x: nd.concat(x, x, dim=0),
        lambda x: nd.FullyConnected(x, x, num_hidden=2, no_bias=True),
        lambda x: nd.broadcast_add(x, x),
    ],
)
def test_what_is_computed_of_an_array_of_numpy_is_one(compute: Any) -> None:
    assert type(compute(array(2, 3))) is ndarray
    assert type(compute(nd.ones((2, 3)))) is nd.NDArray


@pytest.mark.parametrize(("name", "operator"), NAMES_OF_ND, ids=[name for name, _ in NAMES_OF_ND])
def test_an_operator_of_mx_nd_returns_its_arrays_and_its_symbols(name: str, operator: str) -> None:
    """Also if MXNet saves it under a name of `mx.np`, as it does `cumsum`."""
    sample = SAMPLES[operator][0]
    found = getattr(nd, name)(
        *[nd.array(x, dtype=x.dtype) for x in sample.inputs], **sample.attributes
    )
    results = found if isinstance(found, list) else [found]
    assert ndarray not in map(type, results)
    variables = [sym.var(f"x{i}") for i in range(len(sample.inputs))]
    assert type(getattr(sym, name)(*variables, **sample.attributes)) is sym.Symbol


def test_symbols_follow_the_same_rule() -> None:
    x = sym.var("x").as_np_ndarray()
    assert type(x) is _Symbol
    assert type(sym.relu(x)) is type(sym.concat(x, x)) is _Symbol
    assert type(sym.relu(sym.var("x"))) is sym.Symbol
    assert x.as_nd_ndarray().list_arguments() == ["x"]


def test_grad_returns_arrays_of_the_class_of_the_variables() -> None:
    x, y = array(2), nd.ones((2,))
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        z = nd.broadcast_add(nd.square(x), y)
    found = autograd.grad(z, [x, y])
    assert [type(g) for g in found] == [ndarray, nd.NDArray]


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("recorded", [False, True])
def test_a_net_gives_arrays_of_the_class_of_its_inputs(hybridized: bool, recorded: bool) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="relu"), nn.Dense(2))
    net.initialize()
    if hybridized:
        net.hybridize()
    for _ in range(4):  # hybridized calls after the first are replayed
        with autograd.record(recorded):
            outputs = net(array(2, 3)), net(nd.ones((2, 3)))
        assert [type(out) for out in outputs] == [ndarray, nd.NDArray]
        np.testing.assert_allclose(outputs[0].asnumpy(), outputs[1].asnumpy())


class Mixed(gluon.HybridBlock):
    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.relu(x.as_nd_ndarray()), F.relu(x)


@pytest.mark.parametrize("hybridized", [False, True])
def test_outputs_of_two_classes_are_refused(hybridized: bool) -> None:
    net = util.use_np(Mixed)()
    if hybridized:
        net.hybridize()
    with pytest.raises(TypeError, match="Mixed"):
        net(array(2, 3))
