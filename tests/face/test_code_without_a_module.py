"""Code that `exec` runs in a namespace without ``__name__``: its functions have no module."""

from collections.abc import Iterator
from functools import partialmethod
from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import nn
from gluonic.graph.constructors import CheckedArguments
from tests.cases import over

_DERIVED = """
class Derived(Base):
    def __init__(self, *arguments, **keywords):
        super().__init__(*arguments, **keywords)
"""
_PROGRAM = """
scale = 2.0

class Scaled(gluon.HybridBlock):
    factor = 3.0

    def __init__(self, **keywords):
        super().__init__(**keywords)
        with self.name_scope():
            self.dense = nn.Dense(3, in_units=4)

    def hybrid_forward(self, F, x):
        return self.dense(x) * scale * self.factor

class Half(mx.optimizer.SGD):
    def __init__(self, **keywords):
        super().__init__(**keywords)

    def update(self, index, weight, grad, state):
        super().update(index, weight, grad * 0.5, state)

def zeros(shape, **_):
    return nd.zeros(shape)
"""


def _classes(kind: type = CheckedArguments) -> Iterator[type]:
    subclasses: list[type] = kind.__subclasses__()
    for derived in subclasses:
        if derived.__module__.startswith("gluonic."):
            yield derived
            yield from _classes(derived)


def _run(program: str, **names: Any) -> dict[str, Any]:
    exec(program, names)
    assert "__name__" not in names
    return names


@over("base", dict.fromkeys(_classes()), lambda base: base.__module__)
def test_any_class_with_checked_arguments_can_be_derived_from(base: type) -> None:
    derived: Any = _run(_DERIVED, Base=base)["Derived"]
    assert issubclass(derived, base)
    assert derived.__init__.__module__ is None


@pytest.mark.parametrize(
    "initialize", [object.__init__, partialmethod(print)], ids=["slot", "partial"]
)
def test_a_constructor_need_not_be_a_function(initialize: Any) -> None:
    made = type("Made", (CheckedArguments,), {"__init__": initialize})
    assert made.__dict__["__init__"] is initialize


def test_its_nets_are_traced_trained_and_heed_changes() -> None:
    names = _run(_PROGRAM, gluon=gluon, mx=mx, nd=nd, nn=nn)
    net, x = names["Scaled"](), nd.ones((2, 4))
    net.initialize(mx.init.One())
    net.hybridize()
    np.testing.assert_array_equal(net(x).asnumpy(), 24)
    names["scale"] = 1.0
    np.testing.assert_array_equal(net(x).asnumpy(), 12)
    names["Scaled"].factor = 1.0
    np.testing.assert_array_equal(net(x).asnumpy(), 4)
    trainer = gluon.Trainer(net.collect_params(), names["Half"](learning_rate=1.0))
    with autograd.record():
        loss = net(x).sum()
    loss.backward()
    trainer.step(1)
    np.testing.assert_array_equal(net.dense.weight.data().asnumpy(), 0)  # 1 - 0.5 * 2


def test_its_functions_make_states() -> None:
    names = _run(_PROGRAM, gluon=gluon, mx=mx, nd=nd, nn=nn)
    states = gluon.rnn.LSTMCell(3).begin_state(batch_size=2, func=names["zeros"])
    assert [state.shape for state in states] == [(2, 3), (2, 3)]
