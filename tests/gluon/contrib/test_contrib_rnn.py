"""The contributed recurrent cells are MXNet's."""

import numpy as np
import pytest

import gluonic as mx
from gluonic import autograd, nd
from gluonic.gluon import contrib, nn, rnn
from tests.measured import contributed
from tests.measured.measure import agrees, numbers, read

MEASURED = read("contributed")


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybrid"])
@pytest.mark.parametrize("case", contributed.CASES)
def test_a_contributed_cell_is_that_of_mxnet(case: str, hybridize: bool) -> None:
    found = numbers(contributed.run(mx, case, hybridize))
    for what, measured in MEASURED[case].items():
        assert agrees(found[what], measured, 5e-5), what


@pytest.mark.parametrize("case", contributed.LOOPS)
def test_unrolling_as_a_loop_is_that_of_mxnet(case: str) -> None:
    found = contributed.unroll_as_loop(mx, *contributed.LOOPS[case])
    assert agrees(numbers(found), MEASURED[case], 5e-5)


@pytest.mark.parametrize("name", contrib.rnn.conv_rnn_cell.__all__)
def test_every_convolutional_cell_steps_and_keeps_its_states_shape(name: str) -> None:
    rank = int(name[4])
    activation = nn.LeakyReLU(0.1)
    cell = getattr(contrib.rnn, name)((2, *[4] * rank), 3, 3, 3, i2h_pad=1, activation=activation)
    cell.initialize()
    states = cell.begin_state(5)
    output, after = cell(nd.ones((5, 2, *[4] * rank)), states)
    assert output.shape == (5, 3, *[4] * rank)
    assert [state.shape for state in after] == [state.shape for state in states]
    assert "Parameters" in (type(cell).__doc__ or "")


def test_channels_may_come_last() -> None:
    cell = contrib.rnn.Conv2DLSTMCell((4, 5, 2), 3, 3, 3, i2h_pad=1, conv_layout="NHWC")
    assert cell.i2h_weight.shape == (12, 3, 3, 2)
    assert cell.state_info(7)[0]["shape"] == (7, 4, 5, 3)


def test_the_projection_of_a_step_is_named_as_its_output() -> None:
    cell = contrib.rnn.LSTMPCell(5, 3, prefix="x_")
    outputs, _ = cell.unroll(2, [mx.sym.Variable(f"t{i}_data") for i in range(2)])
    assert [output.name for output in outputs] == ["x_t0_out", "x_t1_out"]
    internals = outputs[0].get_internals().list_outputs()
    assert "x_t0_hidden_output" in internals
    assert len(set(internals)) == len(internals)


def test_even_kernels_for_states_are_refused() -> None:
    with pytest.raises(mx.MXNetError, match="must be odd"):
        contrib.rnn.Conv1DRNNCell((2, 4), 3, 3, 2)


def test_variational_dropout_keeps_one_mask_for_the_whole_sequence() -> None:
    mx.random.seed(1)
    base = rnn.RNNCell(50, input_size=50, i2h_weight_initializer=mx.init.Constant(np.eye(50)))
    cell = contrib.rnn.VariationalDropoutCell(base, drop_outputs=0.5)
    cell.initialize()
    x = nd.ones((2, 4, 50))
    with autograd.record():
        outputs, _ = cell.unroll(4, x, merge_outputs=True)
    dropped = outputs.asnumpy() == 0
    assert (dropped == dropped[:, :1]).all()
    assert 0.3 < dropped.mean() < 0.7
    with autograd.record():
        steps, states = [], cell.begin_state(2)
        cell.reset()
        for step in range(4):
            output, states = cell(x[:, step], states)
            steps.append(output.asnumpy() == 0)
    assert all((mask == steps[0]).all() for mask in steps)


def test_variational_dropout_of_states_and_inputs_scales_what_is_left() -> None:
    cell = contrib.rnn.VariationalDropoutCell(rnn.RNNCell(3, input_size=2), 0.5, 0.5)
    cell.initialize()
    x = nd.ones((2, 4, 2))
    eager, _ = cell.unroll(4, x, merge_outputs=True)
    with autograd.record():
        dropped, _ = cell.unroll(4, x, merge_outputs=True, valid_length=nd.array([2, 4]))
    assert eager.shape == dropped.shape == (2, 4, 3)
    assert (dropped.asnumpy()[0, 2:] == 0).all()
    both = rnn.BidirectionalCell(rnn.RNNCell(2), rnn.RNNCell(2))
    with pytest.raises(AssertionError, match="around the cells inside"):
        contrib.rnn.VariationalDropoutCell(both, drop_states=0.5)
