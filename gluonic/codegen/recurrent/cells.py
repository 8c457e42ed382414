"""What one step of a recurrent layer does with an element of the state: for processors and GPUs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from gluonic.codegen.maths.values import Value


class StepValues(NamedTuple):
    """The results of a step.

    Attributes
    ----------
    gates : the gates, as they are saved
    memory : the new cell state of an LSTM, a projection of a GRU; None for others
    state : the new state, before any projection
    """

    gates: Sequence[Value]
    memory: Value | None
    state: Value


class StepGradients(NamedTuple):
    """The gradients of a step.

    Attributes
    ----------
    inputs, recurrent : those of the gates' two projections, each before the activation
    carried : what the gradient of the state before the step has besides the recurrent product; None for nothing
    cell : the gradient of the cell state before the step, of an LSTM
    hidden : the state after the step, before any projection, of an LSTM
    """

    inputs: Sequence[Value]
    recurrent: Sequence[Value]
    carried: Value | None = None
    cell: Value | None = None
    hidden: Value | None = None


def lstm(m: Any, totals: Sequence[Value], before: Value) -> StepValues:
    """A step of an LSTM, from the sums of its gates and the cell state before it."""
    enter, forget, leave = (m.sigmoid(totals[k]) for k in (0, 1, 3))
    new = m.tanh(totals[2])
    memory = forget * before + enter * new
    return StepValues((enter, forget, new, leave), memory, leave * m.tanh(memory))


def gru(m: Any, own: Sequence[Value], extra: Sequence[Value], state: Value) -> StepValues:
    """A step of a GRU, from the projections of the input and of the state, and the state before it."""
    reset, update = (m.sigmoid(own[k] + extra[k]) for k in (0, 1))
    new = m.tanh(own[2] + reset * extra[2])
    return StepValues((reset, update, new), extra[2], new + update * (state - new))


def plain(m: Any, mode: str, total: Value) -> StepValues:
    """A step of ``rnn_tanh`` or ``rnn_relu``."""
    value = m.tanh(total) if mode == "rnn_tanh" else m.maximum(total, 0.0)
    return StepValues((value,), None, value)


def lstm_back(
    m: Any, gates: Sequence[Value], memory: Value, before: Value, gradient: Value, carried: Value
) -> StepGradients:
    """The gradients of an LSTM's step.

    Parameters
    ----------
    gates : as they were saved
    memory, before : the cell state after and before the step
    gradient, carried : the gradients of the state, before any projection, and of the cell state
    """
    enter, forget, new, leave = gates
    shown = m.tanh(memory)
    total = carried + gradient * leave * (1 - shown * shown)
    gradients = (
        total * new * enter * (1 - enter),
        total * before * forget * (1 - forget),
        total * enter * (1 - new * new),
        gradient * shown * leave * (1 - leave),
    )
    return StepGradients(gradients, gradients, cell=total * forget, hidden=leave * shown)


def gru_back(
    gates: Sequence[Value], candidate: Value, state: Value, gradient: Value
) -> StepGradients:
    """The gradients of a GRU's step; `candidate` is what it saved besides the gates."""
    reset, update, new = gates
    new_gradient = gradient * (1 - update) * (1 - new * new)
    update_gradient = gradient * (state - new) * update * (1 - update)
    reset_gradient = new_gradient * candidate * reset * (1 - reset)
    return StepGradients(
        (reset_gradient, update_gradient, new_gradient),
        (reset_gradient, update_gradient, new_gradient * reset),
        carried=gradient * update,
    )


def plain_back(m: Any, mode: str, gate: Value, gradient: Value) -> StepGradients:
    """The gradients of a step of ``rnn_tanh`` or ``rnn_relu``."""
    is_tanh = mode == "rnn_tanh"
    slope = 1 - gate * gate if is_tanh else m.astype(gate > 0, gate.dtype)
    result = gradient * slope  # inf · 0 is NaN, as in MXNet
    return StepGradients((result,), (result,))
