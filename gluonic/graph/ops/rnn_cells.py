"""One step of a recurrent layer, forwards and backwards, for each kind of cell.

A step is given `inputs`, the projected input of the step (batch, gates × state_size), and `recurrent`, the
projected state of the step before. It replaces `inputs` by the activations of the gates, which are all that
the step backwards needs besides `memory`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gluonic.graph.operator import Array


class CellStep(NamedTuple):
    """What a step computes.

    Attributes
    ----------
    state : the new state, before any projection
    memory : what else is to be kept: the new cell of an LSTM, a projection of a GRU; else nothing
    """

    state: Array
    memory: Array | None


class Slopes(NamedTuple):
    """What a step backwards computes: gradients.

    Attributes
    ----------
    inputs, recurrent : of the two projections
    state : of the state before, as far as it does not pass through `recurrent`
    memory : of the memory before
    """

    inputs: Array
    recurrent: Array
    state: Array | None
    memory: Array | None


class Cell(NamedTuple):
    """A kind of cell.

    Attributes
    ----------
    gates : how many gates it has
    forward : ``(inputs, recurrent, state, memory) -> Step``
    backward : ``(gates, state before, memory before, memory, state slope, memory slope) -> Slopes``
    """

    gates: int
    forward: Callable[[Array, Array, Array, Array | None], CellStep]
    backward: Callable[..., Slopes]
    remembers: bool


def _sigmoid(numbers: Array) -> None:
    """Apply the logistic function in place."""
    numbers *= 0.5
    np.tanh(numbers, out=numbers)
    numbers *= 0.5
    numbers += 0.5


def _parts(gates: Array, count: int) -> list[Array]:
    return np.split(gates, count, axis=1)


def _lstm(inputs: Array, recurrent: Array, state: Array, memory: Array | None) -> CellStep:
    assert memory is not None
    inputs += recurrent
    enter, forget, new, leave = _parts(inputs, 4)
    for gate in (enter, forget, leave):
        _sigmoid(gate)
    np.tanh(new, out=new)
    cell = forget * memory + enter * new
    return CellStep(leave * np.tanh(cell), cell)


def _lstm_backward(
    gates: Array, state: Array, before: Array, cell: Array, slope: Array, cell_slope: Array
) -> Slopes:
    enter, forget, new, leave = _parts(gates, 4)
    shown = np.tanh(cell)
    total = cell_slope + slope * leave * (1 - shown * shown)
    slopes = np.concatenate(
        [
            total * new * enter * (1 - enter),
            total * before * forget * (1 - forget),
            total * enter * (1 - new * new),
            slope * shown * leave * (1 - leave),
        ],
        axis=1,
    )
    return Slopes(slopes, slopes, None, total * forget)


def _gru(inputs: Array, recurrent: Array, state: Array, memory: Array | None) -> CellStep:
    reset, update, new = _parts(inputs, 3)
    reset_before, update_before, candidate = _parts(recurrent, 3)
    reset += reset_before
    update += update_before
    _sigmoid(reset)
    _sigmoid(update)
    new += reset * candidate
    np.tanh(new, out=new)
    return CellStep(new + update * (state - new), candidate)


def _gru_backward(
    gates: Array, state: Array, before: Array, candidate: Array, slope: Array, _: Array
) -> Slopes:
    reset, update, new = _parts(gates, 3)
    new_slope = slope * (1 - update) * (1 - new * new)
    update_slope = slope * (state - new) * update * (1 - update)
    reset_slope = new_slope * candidate * reset * (1 - reset)
    return Slopes(
        np.concatenate([reset_slope, update_slope, new_slope], axis=1),
        np.concatenate([reset_slope, update_slope, new_slope * reset], axis=1),
        slope * update,
        None,
    )


def _plain(activate: Callable[[Array], Array]) -> Callable[..., CellStep]:
    def forward(inputs: Array, recurrent: Array, state: Array, memory: Array | None) -> CellStep:
        inputs += recurrent
        inputs[...] = activate(inputs)
        return CellStep(inputs, None)

    return forward


def _plain_backward(slope_of: Callable[[Array], Array]) -> Callable[..., Slopes]:
    def backward(
        gates: Array, state: Array, before: Array, memory: Array, slope: Array, _: Array
    ) -> Slopes:
        slopes = slope * slope_of(gates)
        return Slopes(slopes, slopes, None, None)

    return backward


CELLS = {
    "rnn_relu": Cell(
        1, _plain(lambda x: np.maximum(x, 0)), _plain_backward(lambda y: y > 0), False
    ),
    "rnn_tanh": Cell(1, _plain(np.tanh), _plain_backward(lambda y: 1 - y * y), False),
    "lstm": Cell(4, _lstm, _lstm_backward, True),
    "gru": Cell(3, _gru, _gru_backward, True),
}
