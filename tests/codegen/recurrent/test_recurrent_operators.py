"""Recurrent networks of every kind of cell are machine code, forwards and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.differentiable import DifferentiableProgram
from gluonic.codegen.inspection.explain import explain
from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.values import FLOAT32
from gluonic.codegen.matmul.product_kernel import ProductTiling
from gluonic.codegen.program import Program
from gluonic.codegen.recurrent.loops import CellSpec
from gluonic.codegen.recurrent.packed_states import packed_elements
from gluonic.graph.errors import MXNetError
from gluonic.graph.interpret import interpret
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.ops.rnn_cells import CELLS
from tests.codegen.agreement import check_backward, check_forward, new_run
from tests.codegen.growing import RandomGraph
from tests.codegen.native_operators import arrays_for, check_with_gradients

MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")
Shapes = dict[Node, tuple[int, ...]]


def network(
    mode: str, steps: int, batch: int, features: int, **attributes: Any
) -> tuple[Node, Shapes]:
    names = ["data", "parameters", "state", *(["state_cell"] if mode == "lstm" else [])]
    names += ["sequence_length"] if attributes.get("use_sequence_length") else []
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


@settings(max_examples=6, deadline=None)
@given(
    st.sampled_from(MODES),
    st.tuples(st.integers(3, 5), st.integers(8, 14), st.integers(1, 5)),
    st.sampled_from([32, 64]),
)
def test_states_whose_weights_are_packed_agree_with_the_interpreter(
    mode: str, extents: tuple[int, int, int], size: int
) -> None:
    node, known = network(mode, *extents, state_size=size, num_layers=1)
    width = size * CELLS[mode].gates
    count = width * (extents[2] + size + 2)
    small = np.random.default_rng(0).normal(scale=0.1, size=count).astype("float32")
    check_with_gradients(node, known, "float32", {"parameters": small})


def test_weights_of_states_are_packed_where_panels_are_whole() -> None:
    columns = ProductTiling.of(FLOAT32, host()).columns
    whole, narrow = (CellSpec("lstm", 4, size, 1, FLOAT32) for size in (columns, columns - 1))
    assert packed_elements(whole) >= whole.width * whole.part
    assert packed_elements(narrow) == 0


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(MODES),
    st.booleans(),
    st.tuples(*[st.integers(1, most) for most in (5, 4, 5)]),
    st.integers(1, 19),
    st.integers(1, 3),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["float32", "float64"]),
    st.data(),
)
def test_sequences_of_own_lengths_and_projected_states_are_machine_code(
    mode: str,
    has_lengths: bool,
    extents: tuple[int, int, int],
    size: int,
    layers: int,
    bidirectional: bool,
    state_outputs: bool,
    dtype: str,
    data: st.DataObject,
) -> None:
    attributes: dict[str, Any] = {"use_sequence_length": has_lengths}
    if mode == "lstm" and (not has_lengths or data.draw(st.booleans())):
        attributes["projection_size"] = data.draw(st.integers(1, 12))
    node, known = network(
        mode,
        *extents,
        state_size=size,
        num_layers=layers,
        bidirectional=bidirectional,
        state_outputs=state_outputs,
        **attributes,
    )
    steps, batch, _ = extents
    lengths = data.draw(st.lists(st.integers(0, steps), min_size=batch, max_size=batch))
    of_lengths = data.draw(st.sampled_from(["float32", "int32", "int64"]))
    check_with_gradients(node, known, dtype, {"sequence_length": np.asarray(lengths, of_lengths)})


@pytest.mark.parametrize("mode", ["lstm", "gru"])
@pytest.mark.parametrize(
    "lengths", [[-1.0, 2.0, 9.0], [0.5, 2.9, 3.0], [1e30, float("nan"), -1e30]]
)
def test_lengths_that_no_sequence_has_mean_what_they_mean_to_the_interpreter(
    mode: str, lengths: list[float]
) -> None:
    node, known = network(mode, 3, 3, 2, state_size=4, num_layers=2, use_sequence_length=True)
    check_with_gradients(node, known, "float32", {"sequence_length": np.array(lengths, np.float32)})


def test_lengths_beyond_the_data_are_refused_as_the_interpreter_refuses_them() -> None:
    node, known = network(
        "gru", 3, 2, 2, state_size=4, num_layers=1, bidirectional=True, use_sequence_length=True
    )
    arrays = arrays_for(node, known, "float32")
    variables = [e.node for e in node.inputs]
    graph = Graph([node.entry()])
    program = Program(graph, variables)
    arrays[-1][:] = 1, 3
    expected = interpret(graph, dict(zip(variables, arrays, strict=True)), new_run())
    np.testing.assert_allclose(program(arrays, new_run())[0], expected[0], rtol=1e-5)
    arrays[-1][:] = 1, 4
    with pytest.raises(MXNetError, match="out of bounds"):
        program(arrays, new_run())


@pytest.mark.parametrize("has_lengths", [False, True])
@pytest.mark.parametrize("projection", [3, 9, None])
def test_dropout_goes_with_lengths_and_projections(
    has_lengths: bool, projection: int | None
) -> None:
    node, known = network(
        "lstm",
        *(4, 3, 5),
        state_size=7,
        num_layers=3,
        bidirectional=True,
        state_outputs=True,
        p=0.4,
        projection_size=projection,
        use_sequence_length=has_lengths,
    )
    arrays = arrays_for(node, known, "float32")
    if has_lengths:
        arrays[-1] = np.array([4, 0, 2], np.float32)
    variables = tuple(e.node for e in node.inputs)
    graph = Graph([node.entry(i) for i in range(3)])
    trained = RandomGraph(graph, variables, tuple(arrays), frozenset(), True)
    check_forward(trained)
    check_backward(trained, [True] * 4 + [False])


@pytest.mark.parametrize("train", [False, True])
def test_dropout_between_layers_is_machine_code(train: bool) -> None:
    node, known = network("gru", 2, 2, 3, state_size=4, num_layers=2, p=0.5)
    compiled = CompiledGraph(Graph([node.entry()]), [e.node for e in node.inputs])
    steps = explain(compiled.binding(arrays_for(node, known, "float32"), train)).steps
    assert [step.kind for step in steps if step.kind != "draw"] == ["kernel"]


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
        assert {step.kind for step in explain(binding).steps} <= {"kernel", "draw"}


def test_an_infinite_gradient_of_an_inactive_relu_is_nan_as_in_the_interpreter() -> None:
    node, _ = network("rnn_relu", 2, 1, 1, state_size=1, num_layers=1)
    variables = [entry.node for entry in node.inputs]
    arrays = [np.ones((2, 1, 1)), np.array([1.0, 1.0, 0.0, -5.0]), np.zeros((1, 1, 1))]
    program = DifferentiableProgram(
        Graph([node.entry()]), variables, wanted=[True] * 3, heads=[True], train=True
    )
    _, saved = program.forward(arrays, new_run(train=True))
    slopes = program.backward(saved, [np.full((2, 1, 1), np.inf)], new_run(train=True))
    for slope in slopes:
        assert slope is not None
        assert np.isnan(slope).all()
