"""Symbolic cells are MXNet's: their graphs, names, numbers and weights."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic import rnn
from tests.cases import over
from tests.measured import symbolic_cells
from tests.measured.measure import agrees, numbers, read

MEASURED = read("symbolic_cells")
CASES = symbolic_cells.cases(mx)
sym, nd = mx.sym, mx.nd


@over("case", MEASURED)
def test_a_cell_is_that_of_mxnet(case: str) -> None:
    found = numbers(CASES[case]())
    for what, measured in MEASURED[case].items():
        assert agrees(found[what], measured, 5e-5), what


def computed(cell: Any, weights: dict[str, Any], data: Any, steps: int) -> Any:
    """The outputs of a cell over an array whose first axis is the time."""
    net, _ = cell.unroll(steps, sym.Variable("data"), layout="TNC", merge_outputs=True)
    known = {name: weights[name] for name in net.list_arguments() if name != "data"}
    return net.eval(data=data, **known)[0].asnumpy()


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("mode", ["rnn_relu", "rnn_tanh", "lstm", "gru"])
def test_a_fused_cell_computes_what_its_unfused_stack_does(
    mode: str, layers: int, bidirectional: bool
) -> None:
    fused = rnn.FusedRNNCell(3, layers, mode, bidirectional, prefix="net_")
    stack = fused.unfuse()
    data = nd.random.normal(shape=(4, 2, 5))
    net, _ = fused.unroll(4, sym.Variable("data"), layout="TNC", merge_outputs=True)
    (size,) = net.infer_shape(data=data.shape)[0][1]
    weights = {"net_parameters": nd.random.normal(shape=(size,))}
    unfused = stack.pack_weights(fused.unpack_weights(weights))
    assert agrees(
        numbers(computed(fused, weights, data, 4)), numbers(computed(stack, unfused, data, 4)), 1e-5
    )
    again = fused.pack_weights(stack.unpack_weights(unfused))
    assert (again["net_parameters"] == weights["net_parameters"]).asnumpy().all()


def test_a_vector_of_the_wrong_length_is_refused() -> None:
    cell = rnn.FusedRNNCell(3, mode="gru")
    with pytest.raises(mx.MXNetError, match="has 100 parameters"):
        cell.unpack_weights({"gru_parameters": nd.zeros((100,))})


def test_other_arrays_stay_as_they_are_when_weights_are_packed() -> None:
    cell, other = rnn.LSTMCell(2), nd.ones((3,))
    weights = {
        "lstm_i2h_weight": nd.random.normal(shape=(8, 4)),
        "lstm_i2h_bias": nd.zeros((8,)),
        "lstm_h2h_weight": nd.random.normal(shape=(8, 2)),
        "lstm_h2h_bias": nd.zeros((8,)),
        "other": other,
    }
    unpacked = cell.unpack_weights(weights)
    assert unpacked["other"] is other
    assert "lstm_i2h_weight" in weights
    assert unpacked["lstm_i2h_f_weight"].shape == (2, 4)
    unpacked["lstm_i2h_f_weight"][:] = 7
    packed = cell.pack_weights(unpacked)["lstm_i2h_weight"].asnumpy()
    assert (packed[2:4] == 7).all()
    assert not (weights["lstm_i2h_weight"].asnumpy() == 7).any()


def test_cells_with_the_same_params_share_variables() -> None:
    params = rnn.RNNParams("both_")
    first, second = rnn.RNNCell(3, params=params), rnn.RNNCell(3, params=params)
    x = sym.Variable("x")
    net = sym.Group([cell.unroll(2, x, merge_outputs=True)[0] for cell in (first, second)])
    assert len(net.list_arguments()) == 5
    assert {"x", *params._params} == set(net.list_arguments())


def test_variables_cannot_be_given_to_a_stack_and_to_its_cells() -> None:
    with pytest.raises(AssertionError, match="params="):
        rnn.SequentialRNNCell(rnn.RNNParams()).add(rnn.LSTMCell(3))


def test_a_step_is_the_first_of_an_unrolled_cell() -> None:
    cell = rnn.GRUCell(3)
    with mx.name.NameManager():
        output, _ = cell(sym.Variable("x"), cell.begin_state())
    with mx.name.NameManager():
        (unrolled,), _ = cell.unroll(1, [sym.Variable("x")])
    assert output.tojson() == unrolled.tojson()


def test_begin_states_can_be_inputs_of_the_net() -> None:
    cell = rnn.LSTMCell(3)
    begin = cell.begin_state(func=sym.Variable)
    outputs, _ = cell.unroll(2, sym.Variable("data"), begin_state=begin, merge_outputs=True)
    assert {"lstm_begin_state_0", "lstm_begin_state_1"} <= set(outputs.list_arguments())
    shapes = dict(
        zip(outputs.list_arguments(), outputs.infer_shape(data=(5, 2, 4))[0], strict=True)
    )
    assert shapes["lstm_begin_state_1"] == (5, 3)


def test_a_stack_with_modifiers_takes_a_function_for_its_states() -> None:
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.ResidualCell(rnn.GRUCell(3)))
    stack.add(rnn.LSTMCell(3))
    assert [state.name for state in stack.begin_state(func=sym.Variable)] == [
        "gru_begin_state_0",
        "lstm_begin_state_0",
        "lstm_begin_state_1",
    ]


def test_zoneout_keeps_parts_of_the_step_before() -> None:
    mx.random.seed(2)
    cell = rnn.ZoneoutCell(rnn.RNNCell(200), 0.5, 0.5)
    net, _ = cell.unroll(2, sym.Variable("data"), layout="TNC", merge_outputs=True)
    executor = net.simple_bind(mx.cpu(), data=(2, 1, 1), grad_req="null")
    for name, array in executor.arg_dict.items():
        array[:] = 1 if name == "data" else nd.random.normal(shape=array.shape)
    first, second = executor.forward(is_train=True)[0].asnumpy()
    assert 0.3 < (first == second).mean() < 0.7
    assert 0.3 < (first == 0).mean() < 0.7


def test_a_user_defined_cell_needs_states_and_a_step_only() -> None:
    class Decay(rnn.BaseRNNCell):
        state_info = ({"shape": (0, 3), "__layout__": "NC"},)

        def __call__(self, inputs: Any, states: Any) -> Any:
            self._counter += 1
            output = self._get_activation(
                inputs + states[0] * 0.5, "relu", name=f"t{self._counter}"
            )
            return output, [output]

    net, _ = Decay("d_").unroll(3, sym.Variable("data"), merge_outputs=True)
    found = net.eval(data=nd.ones((1, 3, 3)))[0].asnumpy()
    assert np.allclose(found[0, :, 0], [1, 1.5, 1.75])


@pytest.mark.parametrize(
    ("misuse", "error", "message"),
    [
        (lambda: rnn.LSTMCell(2).unroll(2, None), AssertionError, "no inputs"),
        (lambda: rnn.LSTMCell(2).unroll(2, [sym.Variable("x")]), AssertionError, "2 steps"),
        (
            lambda: rnn.LSTMCell(2).unroll(2, sym.Group([sym.Variable("x"), sym.Variable("y")])),
            AssertionError,
            "group of 2",
        ),
        (lambda: rnn.BaseRNNCell()(1, 2), NotImplementedError, "__call__"),
        (lambda: rnn.BaseRNNCell().state_info, NotImplementedError, "state_info"),
        (lambda: rnn.FusedRNNCell(2)(1, 2), NotImplementedError, "unfuse"),
        (
            lambda: rnn.FusedRNNCell(2).unroll(2, sym.Variable("x"), layout="CNT"),
            AssertionError,
            "'CNT'",
        ),
        (lambda: rnn.FusedRNNCell(2, mode="cnn"), mx.MXNetError, "'cnn'"),
        (
            lambda: rnn.BidirectionalCell(rnn.RNNCell(2), rnn.RNNCell(2))(1, 2),
            NotImplementedError,
            "unroll",
        ),
        (lambda: rnn.ZoneoutCell(rnn.FusedRNNCell(2)), AssertionError, "FusedRNNCell"),
        (
            lambda: rnn.ZoneoutCell(rnn.BidirectionalCell(rnn.RNNCell(2), rnn.RNNCell(2))),
            AssertionError,
            "BidirectionalCell",
        ),
        (
            lambda: rnn.ZoneoutCell(rnn.FusedRNNCell(2, bidirectional=True).unfuse()),
            AssertionError,
            "SequentialRNNCell",
        ),
        (lambda: rnn.DropoutCell("half"), AssertionError, "'half'"),  # type: ignore[arg-type]
        (lambda: rnn.ConvRNNCell((1, 3, 5, 5), 2, h2h_kernel=(2, 3)), AssertionError, "odd"),
    ],
)
def test_misuse_is_refused(misuse: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        misuse()


def test_modified_cells_are_reached_through_their_modifier() -> None:
    cell = rnn.GRUCell(3)
    modifier = rnn.ResidualCell(cell)
    with pytest.raises(AssertionError, match="call the modifier"):
        cell.begin_state()
    assert len(modifier.begin_state()) == 1
    with pytest.raises(AssertionError, match="call the modifier"):
        cell.begin_state()


def test_fused_cells_advise_against_a_batch_that_comes_first() -> None:
    with pytest.warns(UserWarning, match="TNC"):
        rnn.FusedRNNCell(3).unroll(2, sym.Variable("data"))
