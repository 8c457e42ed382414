"""Recurrent networks of every kind of cell are machine code, forwards and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.differentiable import DifferentiableProgram
from gluonic.codegen.explain import explain
from gluonic.graph.node import Graph, Node, make_node
from tests.codegen.agreement import check_backward, check_forward, new_run
from tests.codegen.growing import RandomGraph
from tests.codegen.native_operators import arrays_for, check_with_gradients

MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")
Shapes = dict[Node, tuple[int, ...]]


def network(
    mode: str, steps: int, batch: int, features: int, **attributes: Any
) -> tuple[Node, Shapes]:
    names = ["data", "parameters", "state", *(["state_cell"] if mode == "lstm" else [])]
    variables = [Node(None, name) for name in names]
    node = make_node("RNN", [v.entry() for v in variables], {"mode": mode, **attributes})
    return node, {variables[0]: (steps, batch, features)}


@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from(MODES),
    st.tuples(*[st.integers(1, most) for most in (4, 3, 5)]),
    st.integers(1, 19),
    st.integers(1, 3),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["float32", "float64"]),
)
def test_recurrent_networks_are_machine_code(
    mode: str,
    extents: tuple[int, int, int],
    size: int,
    layers: int,
    bidirectional: bool,
    state_outputs: bool,
    dtype: str,
) -> None:
    node, known = network(
        mode,
        *extents,
        state_size=size,
        num_layers=layers,
        bidirectional=bidirectional,
        state_outputs=state_outputs,
    )
    check_with_gradients(node, known, dtype)


@pytest.mark.parametrize("train", [False, True])
def test_dropout_between_layers_is_machine_code(train: bool) -> None:
    node, known = network("gru", 2, 2, 3, state_size=4, num_layers=2, p=0.5)
    compiled = CompiledGraph(Graph([node.entry()]), [e.node for e in node.inputs])
    steps = explain(compiled.binding(arrays_for(node, known, "float32"), train)).steps
    assert [step.kind for step in steps] == ["kernel"]


@pytest.mark.parametrize(
    ("mode", "layers", "bidirectional", "dtype", "p"),
    [
        ("lstm", 3, True, "float32", 0.3),
        ("gru", 2, False, "float64", 0.5),
        ("rnn_tanh", 2, True, "float32", 1.0),
        ("lstm", 1, False, "float32", 0.5),
    ],
)
def test_dropout_between_layers_drops_what_the_interpreter_drops(
    mode: str, layers: int, bidirectional: bool, dtype: str, p: float
) -> None:
    node, known = network(
        mode,
        *(3, 2, 5),
        state_size=7,
        num_layers=layers,
        bidirectional=bidirectional,
        state_outputs=True,
        p=p,
    )
    arrays = tuple(arrays_for(node, known, dtype))
    variables = tuple(e.node for e in node.inputs)
    dropped = make_node("Dropout", [node.entry()]).entry()
    graph = Graph([dropped, node.entry(1)])
    trained = RandomGraph(graph, variables, arrays, frozenset(), True)
    check_forward(trained)
    check_backward(trained)
    program = DifferentiableProgram(
        graph, variables, wanted=[True] * len(variables), heads=[True, True], train=True
    )
    _, saved = program.forward(arrays, new_run(True))
    heads = [
        np.ones(shape, dtype) for shape in ((3, 2, 14 if bidirectional else 7), arrays[2].shape)
    ]
    program.backward(saved, heads, new_run(True))
    for each in (program.forward_program, program.backward_program):
        (binding,) = each.compiled.bindings.values()
        assert {step.kind for step in explain(binding).steps} == {"kernel"}
