"""Recurrent cells and layers are MXNet's, step by step, unrolled, fused and hybridized."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, gluon, nd
from gluonic.gluon import rnn
from tests.measured import recurrent
from tests.measured.measure import agrees, numbers, read

MEASURED = read("recurrent")
HYBRID = pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])


def check(found: dict[str, Any], case: str) -> None:
    for what, measured in MEASURED[case].items():
        assert agrees(numbers(found[what]), measured, 5e-5), what


@HYBRID
@pytest.mark.parametrize("how", recurrent.UNROLLED)
@pytest.mark.parametrize("case", recurrent.CELLS)
def test_an_unrolled_cell_is_that_of_mxnet(case: str, how: str, hybridize: bool) -> None:
    check(recurrent.run_cell(mx, case, how, hybridize), f"{case}{how}")


@HYBRID
@pytest.mark.parametrize("states", [False, True], ids=["", "states"])
@pytest.mark.parametrize("case", recurrent.LAYERS)
def test_a_layer_is_that_of_mxnet(case: str, states: bool, hybridize: bool) -> None:
    found = recurrent.run_layer(mx, case, states, hybridize)
    check(found, f"{case}{' states' * states}")


@pytest.mark.parametrize("how", ["array", "list"])
@pytest.mark.parametrize("merge", [True, False, None])
def test_sequences_come_back_as_asked_for(how: str, merge: bool | None) -> None:
    cell = rnn.RNNCell(2, input_size=3)
    cell.initialize()
    x = nd.ones((4, 5, 3))
    outputs, _ = cell.unroll(
        5, x if how == "array" else [x[:, i] for i in range(5)], merge_outputs=merge
    )
    if merge:
        assert outputs.shape == (4, 5, 2)
    else:
        assert [output.shape for output in outputs] == [(4, 2)] * 5


@HYBRID
@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_an_empty_batch_has_empty_outputs_and_no_gradient(name: str, hybridize: bool) -> None:
    layer = getattr(rnn, name)(4, num_layers=2, bidirectional=True, input_size=3)
    layer.initialize()
    if hybridize:
        layer.hybridize()
    with autograd.record():
        outputs = layer(nd.zeros((5, 0, 3)))
    outputs.backward()
    assert outputs.shape == (5, 0, 8)
    assert all(not p.grad().asnumpy().any() for p in layer.collect_params().values())


def test_a_sequence_of_one_step_is_a_sequence() -> None:
    cell = rnn.BidirectionalCell(rnn.LSTMCell(2, input_size=3), rnn.LSTMCell(2, input_size=3))
    cell.initialize()
    outputs, states = cell.unroll(1, nd.ones((4, 1, 3)), valid_length=nd.ones((4,)))
    assert outputs.shape == (4, 1, 4)
    assert len(states) == 4


def test_steps_and_unrolling_agree() -> None:
    cell = rnn.GRUCell(3, input_size=2)
    cell.initialize()
    x = nd.random.normal(shape=(2, 4, 2))
    states = cell.begin_state(2)
    for i in range(4):
        output, states = cell(x[:, i], states)
    outputs, last = cell.unroll(4, x)
    assert agrees(numbers([output, states]), numbers([outputs[-1], last]), 1e-6)


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_layer_is_the_stack_of_cells_it_unfuses_to(name: str, bidirectional: bool) -> None:
    layer = getattr(rnn, name)(3, 2, layout="NTC", bidirectional=bidirectional, input_size=4)
    layer.initialize()
    x = nd.random.normal(shape=(2, 5, 4))
    stack = layer.unfuse()
    assert stack.collect_params().keys() == layer.collect_params().keys()
    outputs, _ = stack.unroll(5, x, merge_outputs=True)
    assert agrees(numbers(outputs), numbers(layer(x)), 1e-5)


def test_a_layer_and_its_cells_share_files(tmp_path: Any) -> None:
    file = str(tmp_path / "layer.params")
    layer = rnn.LSTM(3, 2, input_size=4, prefix="a_")
    layer.initialize()
    layer.save_parameters(file)
    other = rnn.LSTM(3, 2, input_size=4, prefix="b_")
    other.load_parameters(file)
    x = nd.random.normal(shape=(5, 2, 4))
    assert agrees(numbers(layer(x)), numbers(other(x)))


def test_lengths_of_samples_stop_a_layer() -> None:
    layer = rnn.LSTM(3, input_size=4, use_sequence_length=True)
    layer.initialize()
    x = nd.random.normal(shape=(5, 2, 4))
    outputs, states = layer(x, layer.begin_state(2), nd.array([2, 5]))
    short, short_states = layer(x[:2], layer.begin_state(2), nd.array([2, 2]))
    assert (outputs[2:, 0].asnumpy() == 0).all()
    assert agrees(numbers(outputs[:2, 0]), numbers(short[:, 0]))
    assert agrees(numbers(states[1][:, 0]), numbers(short_states[1][:, 0]))
    with pytest.raises(mx.MXNetError, match="use_sequence_length"):
        layer(x)


@HYBRID
def test_lengths_of_samples_stop_layers_without_memory(hybridize: bool) -> None:
    layer = rnn.GRU(3, bidirectional=True, use_sequence_length=True)
    layer.initialize()
    if hybridize:
        layer.hybridize()
    x = nd.random.normal(shape=(5, 2, 4))
    outputs, states = layer(x, layer.begin_state(2), nd.array([2, 5]))
    short, short_states = layer(x[:2], layer.begin_state(2), nd.array([2, 2]))
    assert (outputs[2:, 0].asnumpy() == 0).all()
    assert agrees(numbers(outputs[:2, 0]), numbers(short[:, 0]))
    assert agrees(numbers(states[0][:, 0]), numbers(short_states[0][:, 0]))
    assert agrees(numbers(layer(x, None, nd.array([2, 5]))), numbers(outputs))


def test_a_projected_lstm_has_short_outputs_and_long_memory() -> None:
    layer = rnn.LSTM(5, projection_size=2, input_size=4)
    layer.initialize()
    outputs, (shown, memory) = layer(nd.ones((3, 2, 4)), layer.begin_state(2))
    assert (outputs.shape, shown.shape, memory.shape) == ((3, 2, 2), (1, 2, 2), (1, 2, 5))
    with pytest.raises(NotImplementedError, match="projection"):
        layer.unfuse()


class Reader(gluon.HybridBlock):
    """A net that unrolls a cell and a layer from zeros, inside its forward."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.cell = rnn.LSTMCell(3)
            self.layer = rnn.GRU(2, layout="NTC", bidirectional=True)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        outputs, _ = self.cell.unroll(4, x, merge_outputs=True)
        return self.layer(outputs)


def test_states_that_begin_inside_a_compiled_net_fit_any_batch() -> None:
    net = Reader()
    net.initialize()
    eager = [net(nd.ones((n, 4, 5))) for n in (2, 7)]
    net.hybridize()
    compiled = [net(nd.ones((n, 4, 5))) for n in (2, 7)]
    assert [x.shape for x in compiled] == [(2, 4, 4), (7, 4, 4)]
    assert agrees(numbers(compiled), numbers(eager), 1e-5)


def test_shapes_of_a_compiled_recurrent_net_wait_for_the_first_batch() -> None:
    net = Reader()
    net.initialize()
    net.hybridize()
    with autograd.record():
        out = net(nd.ones((2, 4, 5)))
    out.backward()
    assert net.cell.i2h_weight.shape == (12, 5)
    assert net.layer._reg_params["l0_i2h_weight"].shape == (6, 3)
    assert net.cell.i2h_weight.grad().asnumpy().any()


def test_dropout_between_steps_is_drawn_in_training_only() -> None:
    cell = rnn.DropoutCell(0.5)
    x = nd.ones((2, 30, 4))
    assert (cell.unroll(30, x, merge_outputs=True)[0] == x).asnumpy().all()
    with autograd.record():
        outputs, states = cell.unroll(30, x, merge_outputs=True)
    assert set(np.unique(outputs.asnumpy())) == {0, 2}
    assert states == []


def test_zoneout_keeps_parts_of_the_step_before() -> None:
    mx.random.seed(2)
    cell = rnn.ZoneoutCell(rnn.RNNCell(200, input_size=1), 0.5, 0.5)
    cell.initialize(mx.init.Normal(1.0))
    with autograd.record():
        outputs, _ = cell.unroll(2, nd.ones((1, 2, 1)))
    kept = (outputs[0].asnumpy() == outputs[1].asnumpy()).mean()
    assert 0.3 < kept < 0.7


def test_modified_cells_are_reached_through_their_modifier() -> None:
    cell = rnn.GRUCell(3)
    modifier = rnn.ResidualCell(cell)
    with pytest.raises(AssertionError, match="call the modifier"):
        cell.begin_state(2)
    assert len(modifier.begin_state(2)) == 1
    with pytest.raises(AssertionError, match="modified already"):
        rnn.ZoneoutCell(cell)


@pytest.mark.parametrize(
    ("misuse", "error"),
    [
        (lambda: rnn.RNNCell(2).unroll(3, nd.ones((2, 4, 1))), mx.MXNetError),
        (lambda: rnn.RNNCell(2).unroll(3, None), mx.MXNetError),
        (lambda: rnn.BidirectionalCell(rnn.RNNCell(2), rnn.RNNCell(2))(1, 2), NotImplementedError),
        (
            lambda: rnn.ZoneoutCell(rnn.BidirectionalCell(rnn.RNNCell(2), rnn.RNNCell(2))),
            AssertionError,
        ),
        (lambda: rnn.LSTM(3, layout="CNT"), mx.MXNetError),  # type: ignore[arg-type]
        (lambda: rnn.RNN(3, activation="sine"), mx.MXNetError),
        (lambda: rnn.DropoutCell("half"), mx.MXNetError),  # type: ignore[arg-type]
    ],
)
def test_misuse_is_refused(misuse: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        misuse()


def test_states_of_the_wrong_shape_are_refused_with_the_right_one() -> None:
    layer = rnn.LSTM(3, input_size=4)
    layer.initialize()
    with pytest.raises(ValueError, match=r"needed: \[\(1, 2, 3\), \(1, 2, 3\)\]"):
        layer(nd.ones((5, 2, 4)), layer.begin_state(7))


def test_a_stack_is_indexed_and_counted() -> None:
    stack = rnn.HybridSequentialRNNCell()
    stack.add(rnn.RNNCell(2))
    stack.add(rnn.RNNCell(3))
    assert len(stack) == 2
    assert stack[1]._hidden_size == 3
    assert [info["shape"] for info in stack.state_info(4)] == [(4, 2), (4, 3)]


@pytest.mark.parametrize("given", ["nothing", "states", "one state"])
def test_explaining_a_layer_prepares_the_explained_call(given: str) -> None:
    layer = rnn.LSTM(3) if given != "one state" else rnn.GRU(3)
    layer.initialize()
    layer.hybridize()
    x = nd.ones((5, 2, 4))
    states = layer.begin_state(2)
    inputs = {"nothing": [x], "states": [x, states], "one state": [x, states[0]]}[given]
    explained = layer.explain(*inputs)  # type: ignore[misc]
    assert explained.steps
    misses = layer.cache_info().misses
    layer(*inputs)  # type: ignore[misc]
    assert layer.cache_info().misses == misses
