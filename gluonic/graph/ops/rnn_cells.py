"""One step of a recurrent layer, forward and backward, for each kind of cell.

A step reads `inputs`, the projected input of the step (batch, gates × state_size), and `recurrent`, the
projected state of the previous step. It overwrites `inputs` with the activations of the gates, which are all
that the backward step needs besides `memory`.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gluonic.graph.operator import Array


class CellStep(NamedTuple):
    """The results of a step.

    Attributes
    ----------
    state : the new state, before any projection
    memory : what else to save: the new cell state of an LSTM, a projection of a GRU; otherwise None
    """

    state: Array
    memory: Array | None


class CellGradients(NamedTuple):
    """The gradients that a backward step computes.

    Attributes
    ----------
    inputs, recurrent : those of the two projections
    state : that of the previous state, without the part through `recurrent`
    memory : that of the previous memory
    """

    inputs: Array
    recurrent: Array
    state: Array | None
    memory: Array | None


class Cell(NamedTuple):
    """A kind of cell.

    Attributes
    ----------
    gates : number of gates
    forward : ``(inputs, recurrent, state, memory) -> CellStep``
    backward : ``(gates, previous state, previous memory, memory, their gradients) -> CellGradients``
    remembers : whether steps have a memory
    """

    gates: int
    forward: Callable[[Array, Array, Array, Array | None], CellStep]
    backward: Callable[..., CellGradients]
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
    gates: Array, state: Array, before: Array, cell: Array, gradient: Array, cell_gradient: Array
) -> CellGradients:
    enter, forget, new, leave = _parts(gates, 4)
    shown = np.tanh(cell)
    total = cell_gradient + gradient * leave * (1 - shown * shown)
    gradients = np.concatenate(
        [
            total * new * enter * (1 - enter),
            total * before * forget * (1 - forget),
            total * enter * (1 - new * new),
            gradient * shown * leave * (1 - leave),
        ],
        axis=1,
    )
    return CellGradients(gradients, gradients, None, total * forget)


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
    gates: Array, state: Array, before: Array, candidate: Array, gradient: Array, _: Array
) -> CellGradients:
    reset, update, new = _parts(gates, 3)
    new_gradient = gradient * (1 - update) * (1 - new * new)
    update_gradient = gradient * (state - new) * update * (1 - update)
    reset_gradient = new_gradient * candidate * reset * (1 - reset)
    return CellGradients(
        np.concatenate([reset_gradient, update_gradient, new_gradient], axis=1),
        np.concatenate([reset_gradient, update_gradient, new_gradient * reset], axis=1),
        gradient * update,
        None,
    )


def _plain(activate: Callable[[Array], Array]) -> Callable[..., CellStep]:
    def forward(inputs: Array, recurrent: Array, state: Array, memory: Array | None) -> CellStep:
        inputs += recurrent
        inputs[...] = activate(inputs)
        return CellStep(inputs, None)

    return forward


def _plain_backward(derivative: Callable[[Array], Array]) -> Callable[..., CellGradients]:
    def backward(
        gates: Array, state: Array, before: Array, memory: Array, gradient: Array, _: Array
    ) -> CellGradients:
        gradients = gradient * derivative(gates)
        return CellGradients(gradients, gradients, None, None)

    return backward


CELLS = {
    "rnn_relu": Cell(
        1, _plain(lambda x: np.maximum(x, 0)), _plain_backward(lambda y: y > 0), False
    ),
    "rnn_tanh": Cell(1, _plain(np.tanh), _plain_backward(lambda y: 1 - y * y), False),
    "lstm": Cell(4, _lstm, _lstm_backward, True),
    "gru": Cell(3, _gru, _gru_backward, True),
}
