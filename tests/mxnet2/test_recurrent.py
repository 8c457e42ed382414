"""Recurrent layers and cells of MXNet 2.0: one vector of parameters, shapes inferred before the first step."""

from pathlib import Path
from typing import Any

import numpy
import pytest

import gluonic
from gluonic.mxnet2 import gluon, init, np
from gluonic.mxnet2.gluon import rnn
from gluonic.mxnet2.gluon.utils import split_rnn_params

KINDS = {"RNN": "rnn_relu", "LSTM": "lstm", "GRU": "gru"}


def cells_of(kind: str, sizes: Any) -> Any:
    """A stack of cells of both directions, each as long as a layer's state."""
    stack = rnn.HybridSequentialRNNCell()
    settings = {"activation": "relu"} if kind == "RNN" else {}
    for size in sizes:
        one, other = (getattr(rnn, f"{kind}Cell")(size, **settings) for _ in range(2))
        stack.add(rnn.BidirectionalCell(one, other))
    return stack


@pytest.mark.parametrize("kind", KINDS)
def test_a_layer_computes_what_cells_with_the_parts_of_its_vector_do(kind: str) -> None:
    x = np.random.uniform(-1, 1, (3, 2, 4))
    layer = getattr(rnn, kind)(5, num_layers=2, bidirectional=True)
    layer.initialize(init.Uniform(0.5))
    expected = layer(x)
    assert list(layer.collect_params()) == ["rnn_param"]
    stack = cells_of(kind, [5, 5])
    stack.infer_shape(0, x[0], False)
    stack.initialize()
    parameters = stack.collect_params()
    parts = split_rnn_params(layer.rnn_param.data(), KINDS[kind], 2, 4, 5, bidirectional=True)
    for name, part in parts.items():
        side, number, rest = name[0], name[1], name[3:]
        parameters[f"{number}.{side}_cell.{rest}"].set_data(part)
    outputs, _ = stack.unroll(3, x, layout="TNC", merge_outputs=True)
    numpy.testing.assert_allclose(outputs.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


def test_shapes_follow_from_an_input_through_all_kinds_of_cells() -> None:
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.DropoutCell(0.1))
    stack.add(rnn.BidirectionalCell(rnn.GRUCell(3), rnn.LSTMPCell(5, 2)))
    stack.add(rnn.ZoneoutCell(rnn.RNNCell(4)))
    stack.infer_shape(0, np.ones((2, 7)), False)
    shapes = {name: p.shape for name, p in stack.collect_params().items() if "i2h_weight" in name}
    assert list(shapes.values()) == [(9, 7), (20, 7), (4, 5)]
    convolutional = rnn.Conv1DLSTMCell((-1, 7), 10, (3,), (3,))
    convolutional.infer_shape(0, np.ones((8, 5, 7)), False)
    assert convolutional.i2h_weight.shape == (40, 5, 3)
    upper = rnn.LSTMCell(4)
    upper.infer_shape(1, np.ones((2, 7)), True)
    assert upper.i2h_weight.shape == (16, 8)


def test_each_part_of_the_vector_has_its_own_initializer() -> None:
    layer = rnn.LSTM(
        2, input_size=3, i2h_bias_initializer="ones", h2h_weight_initializer=init.Constant(7)
    )
    layer.initialize(init.Constant(-1))
    parts = split_rnn_params(layer.rnn_param.data().asnumpy(), "lstm", 1, 3, 2)
    values = {name: set(part.ravel().tolist()) for name, part in parts.items()}
    assert values == {
        "l0_i2h_weight": {-1.0}, "l0_h2h_weight": {7.0}, "l0_i2h_bias": {1.0}, "l0_h2h_bias": {0.0},
    }  # fmt: skip


@pytest.mark.parametrize("bidirectional", [False, True])
def test_parameters_of_a_layer_of_mxnet_1_are_read(tmp_path: Path, bidirectional: bool) -> None:
    settings: dict[str, Any] = {"num_layers": 2, "bidirectional": bidirectional, "input_size": 4}
    old = gluonic.gluon.nn.HybridSequential()
    old.add(gluonic.gluon.rnn.GRU(3, **settings))
    old.initialize(gluonic.init.Uniform(0.5))
    x = numpy.random.RandomState(1).rand(5, 2, 4).astype("float32")
    file = tmp_path / "old.params"
    old.save_parameters(str(file))
    new = gluon.nn.HybridSequential()
    new.add(rnn.GRU(3, **settings))
    new.load_parameters(str(file))
    expected = old(gluonic.nd.array(x).as_np_ndarray())
    numpy.testing.assert_allclose(new(np.array(x)).asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_the_functions_of_a_gated_unit_can_be_chosen() -> None:
    cell = rnn.GRUCell(1, activation="relu", recurrent_activation="tanh")
    cell.initialize(init.One())
    x = 0.3
    gate = numpy.tanh(x)
    new = max(x + gate * 0, 0)
    output, _ = cell(np.array([[x]]), cell.begin_state(1))
    assert output.item() == pytest.approx((1 - gate) * new)
