"""Values that compiled nets keep of their parameters follow every way of changing these."""

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from tests.forking import forks, is_true_in_a_child
from tests.gluon.writing import ONE_INPUT, SHAPE, WAYS

INDICES = nd.array([[0, 7, 3], [1, 2, 0]])


class Net(gluon.HybridBlock):
    """A net of one parameter."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.weight = self.params.get("weight", shape=SHAPE)

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        """A convolution, whose filters are packed."""
        return F.Convolution(x, weight, kernel=(3, 3), num_filter=8, no_bias=True)


class Product(Net):
    """A product of matrices, one of which is packed, and a rectifier."""

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        rows = F.slice_axis(F.Flatten(x), axis=1, begin=0, end=27)
        return F.relu(F.FullyConnected(rows, F.Flatten(weight), num_hidden=8, no_bias=True))


class Loop(Net):
    """A loop over the elements."""

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.broadcast_mul(F.tanh(weight), F.mean(x))


class Several(Net):
    """Two outputs."""

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return super().hybrid_forward(F, x, weight), F.broadcast_add(weight, F.sum(x))


class Ranked(Net):
    """An operator that Python runs, of what machine code computes."""

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.topk(super().hybrid_forward(F, x, weight), k=2, ret_typ="value", axis=1)


class Gathered(Net):
    """An operator that Python runs, alone."""

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.gather_nd(weight, x)


class Outer(Net):
    """A net around another one."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.inner = Net(prefix=self.prefix, params=self.params)

    def hybrid_forward(self, F: Any, x: Any, weight: Any) -> Any:
        return F.broadcast_add(self.inner(x), F.max(weight))


class Family:
    """Nets of one parameter, hybridized, beside others that are not."""

    def __init__(self) -> None:
        self.main = Net(prefix="net_")
        self.parameter = self.main.weight
        self.begin()
        kinds = Net, Product, Loop, Several, Ranked, Gathered, Outer
        shared = {"prefix": "net_", "params": self.main.params}
        self.pairs: list[tuple[Any, Any, Any]] = [
            (kind(**shared), kind(**shared), INDICES if kind is Gathered else ONE_INPUT)
            for kind in kinds
        ]
        for compiled, _, _ in self.pairs:
            compiled.hybridize()
        self.main.hybridize()
        x = mx.sym.var("x")
        symbol = self.main(x)
        of_symbol = gluon.SymbolBlock(symbol, [x], params=self.main.collect_params())
        self.pairs.append((of_symbol, self.pairs[0][1], ONE_INPUT))

    def begin(self) -> None:
        """Give the parameter new arrays."""
        self.parameter.grad_req = "write"
        self.parameter.initialize(mx.init.Normal(1), force_reinit=True)

    def compute(self, mode: Callable[[Any, Any], Any], which: int, times: int = 1) -> list[Any]:
        """What the hybridized nets (0), or the others (1), give in a mode at the last of some calls."""
        return [[mode(pair[which], pair[2]) for _ in range(times)][-1] for pair in self.pairs]


def listed(outputs: Any) -> list[Any]:
    """Outputs, be it one or several."""
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def predicted(net: Any, x: Any) -> list[Any]:
    """The outputs of a call."""
    return [one.asnumpy() for one in listed(net(x))]


def in_training(net: Any, x: Any) -> list[Any]:
    """The outputs of a call in training mode."""
    with autograd.train_mode():
        return predicted(net, x)


def differentiated(net: Any, x: Any) -> list[Any]:
    """The outputs of a recorded call, and the gradient of its input."""
    x = x.copy()
    x.attach_grad()
    with autograd.record():
        outputs = listed(net(x))
        total = sum((one.sum() for one in outputs), nd.zeros((1,)))
    total.backward()
    return [*(one.asnumpy() for one in outputs), x.grad.asnumpy()]


MODES = [predicted, in_training, differentiated]


@pytest.fixture(scope="module")
def family() -> Iterator[Family]:
    made = Family()
    yield made
    del made
    gc.collect()


def assert_nearly_equal(found: list[Any], expected: list[Any]) -> None:
    for some, others in zip(found, expected, strict=True):
        for one, other in zip(some, others, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("calls", [1, 4], ids=["after one call", "after four calls"])
@pytest.mark.parametrize("way", WAYS)
def test_a_changed_parameter_changes_all_results(family: Family, way: str, calls: int) -> None:
    for mode in MODES:
        family.begin()
        before = family.compute(mode, 0, calls)
        WAYS[way](family.parameter, family.main)
        expected = family.compute(mode, 1)
        for _ in range(3):
            assert_nearly_equal(family.compute(mode, 0), expected)
        assert not np.allclose(before[0][0], expected[0][0])  # of the convolution


def prepackings(made: Family) -> list[int]:
    """How often each of the nets has packed its parameter."""
    return [net.cache_info().prepackings for net, _, _ in made.pairs]


WRITES_TO_MEMORY_OF_OTHERS = {"dlpack_capsule", "buffers_of_a_pickle"}
"""Ways that write into memory which no array owns: it may be anybody's."""


@pytest.mark.parametrize("way", [name for name in WAYS if name not in WRITES_TO_MEMORY_OF_OTHERS])
def test_a_change_of_other_parameters_keeps_packed_weights(family: Family, way: str) -> None:
    other = Net()
    other.initialize(mx.init.Normal(1))
    other(ONE_INPUT)
    family.begin()
    for _ in range(4):
        family.compute(predicted, 0)
    before = prepackings(family)
    WAYS[way](other.weight, other)
    family.compute(predicted, 0)
    assert prepackings(family) == before


def test_a_changed_parameter_is_packed_again_once_in_the_nets_that_read_it(
    family: Family,
) -> None:
    family.begin()
    for _ in range(4):
        family.compute(predicted, 0)
    before = prepackings(family)
    family.parameter.data()[:] = 3
    for _ in range(3):
        family.compute(predicted, 0)
    more = [now - then for now, then in zip(prepackings(family), before, strict=True)]
    assert set(more) <= {0, 1}
    assert more[0] == 1  # of the convolution


@forks
def test_a_forked_child_sees_its_own_writes_to_parameters(family: Family) -> None:
    family.begin()
    before = family.compute(predicted, 0, 4)

    def write() -> bool:
        family.parameter.data()[:] = 3
        assert_nearly_equal(family.compute(predicted, 0), family.compute(predicted, 1))
        return True

    assert is_true_in_a_child(write)
    assert_nearly_equal(family.compute(predicted, 0), before)
