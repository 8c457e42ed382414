"""Which operators are output heads, and that all others let a walk back pass to the heads behind them."""

from __future__ import annotations

import numpy as np

from gluonic.graph.builder import F
from gluonic.graph.gradient import gradients, has_losses
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node
from tests.graph.registry_samples import (
    CASES,
    DIFFERENTIABLE,
    SAMPLES,
    application_of,
    cast,
    every_sample,
    over_samples,
    run_of,
    wanted_inputs,
)

# Measured with MXNet 1.9.1: no other operator that has a sample gives a gradient for heads of zeros.
HEADS = {
    "IdentityAttachKLSparseReg",
    "LinearRegressionOutput",
    "LogisticRegressionOutput",
    "MAERegressionOutput",
    "MakeLoss",
    "SVMOutput",
    "SoftmaxOutput",
    "make_loss",
}


@every_sample
def test_heads_are_those_of_mxnet(name: str, number: int) -> None:
    application = application_of(name, SAMPLES[name][number])
    expected = name in HEADS and not application.settings.get("out_grad")
    assert application.is_loss == expected


@over_samples(
    [(name, i) for name, i in DIFFERENTIABLE if not application_of(name, SAMPLES[name][i]).is_loss]
)
def test_no_other_operator_makes_a_gradient_of_zeros(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    variables = [Node(None, n) for n in application.inputs]
    node = Node(application, "node", [v.entry() for v in variables])
    wanted = [variables[i].entry() for i in wanted_inputs(application, sample)]
    outputs = [node.entry(i) for i in range(application.visible)]
    found = gradients(outputs, [F.zeros_like(o) for o in outputs], wanted, train=sample.train)
    present = [entry for entry in found if entry is not None]
    values = dict(zip(variables, cast(sample, None), strict=True))
    for array in interpret(Graph(present), values, run_of(sample)):
        assert not np.any(array)


@over_samples([(name, i) for name, i in CASES if application_of(name, SAMPLES[name][i]).inputs])
def test_heads_behind_any_operator_give_their_gradient(name: str, number: int) -> None:
    sample = SAMPLES[name][number]
    application = application_of(name, sample)
    variables = [Node(None, n) for n in application.inputs]
    inputs = [v.entry() if n in application.states else F.make_loss(v.entry())
              for n, v in zip(application.inputs, variables, strict=True)]  # fmt: skip
    node = Node(application, "node", inputs)
    stopped = F.BlockGrad(node.entry())
    wanted = [v.entry() for n, v in zip(application.inputs, variables, strict=True)
              if n not in application.states]  # fmt: skip
    found = gradients([stopped], [F.ones_like(stopped)], wanted, train=sample.train)
    assert all(entry is not None and entry.node.operator_name == "ones_like" for entry in found)


def test_graphs_without_heads_are_not_differentiated_where_no_gradient_flows() -> None:
    x = Node(None, "x").entry()
    stopped = F.BlockGrad(F.exp(F.sigmoid(x)))
    assert gradients([stopped], [F.ones_like(stopped)], [x], train=True) == [None]
    assert not has_losses(Graph([stopped]))
