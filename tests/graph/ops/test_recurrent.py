"""Recurrent networks: against their definition step by step, lengths, dropout, shapes."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from gluonic.graph import ops  # noqa: F401 - fills the registry
from gluonic.graph.errors import MXNetError
from gluonic.graph.infer import infer
from gluonic.graph.kernel_runs import run_node
from gluonic.graph.node import Graph, Node, make_node
from gluonic.graph.operator import REGISTRY, Run
from gluonic.graph.ops.rnn_kernels import RNNSizes
from gluonic.graph.random_source import RandomSource
from tests.graph.samples.recurrent import MODES, network

Array = npt.NDArray[Any]


def rnn(arrays: Any, train: bool = False, **attributes: Any) -> list[Array]:
    run = Run(train=train, random=RandomSource(0))
    application = REGISTRY["RNN"].apply(attributes)
    return run_node(application, arrays, run)[: application.visible]


def sigmoid(x: Array) -> Array:
    result: Array = 1 / (1 + np.exp(-x))
    return result


def by_definition(mode: str, x: Array, h: Array, c: Array, parameters: Array) -> list[Array]:
    """One layer, one direction: the outputs of all steps, and the last states."""
    network_ = RNNSizes(mode, 5, 1, 1, None)
    (weights,) = network_.unpack(parameters, x.shape[2])
    outputs = []
    for step in x:
        a = np.split(step @ weights.inputs.T + weights.inputs_bias, network_.cell.gates, axis=1)
        u = np.split(h @ weights.state.T + weights.state_bias, network_.cell.gates, axis=1)
        if mode == "lstm":
            i, f, g, o = (p + q for p, q in zip(a, u, strict=True))
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        elif mode == "gru":
            r, z = sigmoid(a[0] + u[0]), sigmoid(a[1] + u[1])
            h = (1 - z) * np.tanh(a[2] + r * u[2]) + z * h
        else:
            h = np.tanh(a[0] + u[0]) if mode == "rnn_tanh" else np.maximum(a[0] + u[0], 0)
        outputs.append(h)
    return [np.stack(outputs), h, c]


@pytest.mark.parametrize("mode", MODES)
def test_a_layer_is_what_it_is_defined_to_be(mode: str) -> None:
    sample = network(mode, state_outputs=True)
    x, parameters, h, *c = sample.inputs
    found = rnn(sample.inputs, **sample.attributes)
    expected = by_definition(mode, x, h[0], c[0][0] if c else h[0], parameters)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    for a, b in zip(found[1:], expected[1:], strict=False):
        np.testing.assert_allclose(a[0], b, rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_the_second_direction_runs_backwards(mode: str) -> None:
    sample = network(mode, bidirectional=True, state_outputs=True)
    output, *states = rnn(sample.inputs, **sample.attributes)
    shape = RNNSizes(mode, 5, 1, 2, None)
    x, parameters, h, *c = sample.inputs
    second = shape.unpack(parameters, 3)[1]
    packed = np.concatenate(
        [second.inputs.ravel(), second.state.ravel(), second.inputs_bias, second.state_bias]
    )
    expected = by_definition(mode, x[::-1], h[1], c[0][1] if c else h[1], packed)
    np.testing.assert_allclose(output[:, :, 5:], expected[0][::-1], rtol=1e-12)
    np.testing.assert_allclose(states[0][1], expected[1], rtol=1e-12)


@pytest.mark.parametrize("mode", MODES)
def test_a_short_sequence_is_as_if_it_were_alone(mode: str) -> None:
    sample = network(mode, num_layers=2, bidirectional=True, state_outputs=True, lengths=(4, 2))
    together = rnn(sample.inputs, **sample.attributes)
    x, parameters, *states, _ = sample.inputs
    alone = rnn(
        [x[:2, 1:], parameters, *(s[:, 1:] for s in states)],
        **{**sample.attributes, "use_sequence_length": False},
    )
    np.testing.assert_allclose(together[0][:2, 1:], alone[0], rtol=1e-12)
    assert not together[0][2:, 1].any()
    for a, b in zip(together[1:], alone[1:], strict=True):
        np.testing.assert_allclose(a[:, 1:], b, rtol=1e-12)


def test_parameters_are_packed_as_mxnet_packs_them() -> None:
    counts = [
        (RNNSizes("lstm", 5, 2, 1, None), 460),
        (RNNSizes("gru", 5, 2, 1, None), 345),
        (RNNSizes("rnn_tanh", 5, 2, 1, None), 115),
        (RNNSizes("lstm", 5, 2, 2, None), 1120),
        (RNNSizes("lstm", 5, 2, 2, 3), 860),
    ]
    for shape, count in counts:
        assert shape.parameter_count(4) == count
    numbers = np.arange(860.0)
    first = RNNSizes("lstm", 5, 2, 2, 3).unpack(numbers, 4)[0]
    assert first.inputs[0, 0] == 0
    assert first.state[0, 0] == 80
    assert first.project is not None
    assert first.project[0, 0] == 140
    assert first.inputs_bias[0] == 860 - 160
    assert first.state_bias[0] == 860 - 140


def test_outputs_between_layers_are_dropped_in_training_only() -> None:
    sample = network("lstm", num_layers=2, p=0.5)
    plain = rnn(sample.inputs, **{**sample.attributes, "p": 0.0})[0]
    np.testing.assert_array_equal(rnn(sample.inputs, **sample.attributes)[0], plain)
    assert not np.allclose(rnn(sample.inputs, train=True, **sample.attributes)[0], plain)
    one = network("lstm", p=0.5)
    without = rnn(one.inputs, **one.attributes)[0]
    np.testing.assert_array_equal(rnn(one.inputs, train=True, **one.attributes)[0], without)


def shapes_of(known: dict[str, Any], **attributes: Any) -> dict[str, Any]:
    application = REGISTRY["RNN"].apply(attributes)
    variables = [Node(None, name) for name in application.inputs]
    node = make_node("RNN", [v.entry() for v in variables], attributes)
    facts = infer(Graph([node.entry()]), "shape", {v: known.get(v.name) for v in variables})
    found = {v.name: facts[v][0] for v in variables}
    return found | dict(zip(application.outputs, facts[node], strict=True))


def test_shapes_are_those_that_mxnet_infers() -> None:
    attributes: dict[str, Any] = {
        "mode": "lstm",
        "state_size": 5,
        "num_layers": 2,
        "bidirectional": True,
        "projection_size": 3,
        "state_outputs": True,
    }
    found = shapes_of({"data": (None, 2, 4)}, **attributes)
    assert found["parameters"] == (860,)
    assert found["state"] == (4, 2, 3)
    assert found["state_cell"] == (4, 2, 5)
    assert found["output"] == (None, 2, 6)
    assert found["state_output"] == (4, 2, 3)
    assert found["statecell_output"] == (4, 2, 5)
    found = shapes_of({"data": (3, None, None)}, mode="gru", state_size=5, num_layers=1)
    assert found["state"] == (1, None, 5)
    assert "state_cell" not in found
    lengths = {"mode": "gru", "state_size": 5, "num_layers": 1, "use_sequence_length": True}
    assert shapes_of({"data": (3, 2, 4)}, **lengths)["sequence_length"] == (2,)


@pytest.mark.parametrize(
    ("known", "attributes", "message"),
    [
        ({"parameters": (10,)}, {}, "parameters"),
        ({"state": (1, 1, 5)}, {}, "state"),
        ({"data": (3, 2)}, {}, "data"),
        ({}, {"num_layers": 0}, "num_layers"),
        ({}, {"projection_size": 3}, "projection_size"),
        ({}, {"p": 2}, "p=2 must be a number of at least 0 and of at most 1"),
    ],
)
def test_mismatched_shapes_are_refused(known: Any, attributes: Any, message: str) -> None:
    with pytest.raises(MXNetError, match=message):
        shapes_of(
            {"data": (3, 2, 4), **known},
            **{"mode": "gru", "state_size": 5, "num_layers": 1, **attributes},
        )


def test_half_precision_computes_in_single_precision() -> None:
    sample = network("gru")
    half = [a.astype(np.float16) for a in sample.inputs]
    found = rnn(half, **sample.attributes)[0]
    assert found.dtype == np.float16
    exact = rnn([a.astype(np.float64) for a in half], **sample.attributes)[0]
    np.testing.assert_allclose(found, exact, atol=1e-3)
