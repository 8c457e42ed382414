"""Recurrent layers on NumPy arrays: several layers, both directions, sequences of different lengths."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gluonic.graph.operator import Array
from gluonic.graph.ops.rnn_cells import CELLS, Cell
from gluonic.graph.summation import total


class Weights(NamedTuple):
    """The parameters of one layer in one direction.

    Attributes
    ----------
    inputs, state : the matrices of the input and of the state, (gates × state_size, …)
    project : the matrix of the projection, (projection_size, state_size), if any
    inputs_bias, state_bias : (gates × state_size,)
    """

    inputs: Array
    state: Array
    project: Array | None
    inputs_bias: Array
    state_bias: Array


class RNNSizes(NamedTuple):
    """The attributes that determine all sizes."""

    mode: str
    state_size: int
    num_layers: int
    directions: int
    projection_size: int | None

    @property
    def cell(self) -> Cell:
        """The kind of cell."""
        return CELLS[self.mode]

    @property
    def shown(self) -> int:
        """The size of a layer's state after any projection."""
        return self.state_size if self.projection_size is None else self.projection_size

    def shapes(self, input_size: int) -> Iterator[list[tuple[int, ...]]]:
        """For each layer and direction, the shapes of the weights without biases."""
        rows = self.cell.gates * self.state_size
        for layer in range(self.num_layers):
            columns = self.shown * self.directions if layer else input_size
            for _ in range(self.directions):
                shapes: list[tuple[int, ...]] = [(rows, columns), (rows, self.shown)]
                if self.projection_size is not None:
                    shapes.append((self.projection_size, self.state_size))
                yield shapes

    def parameter_count(self, input_size: int) -> int:
        """The length of the vector of all parameters."""
        matrices = sum(a * b for shapes in self.shapes(input_size) for a, b in shapes)
        return matrices + 2 * self._biases

    @property
    def _biases(self) -> int:
        return self.cell.gates * self.state_size * self.num_layers * self.directions

    def unpack(self, parameters: Array, input_size: int) -> list[Weights]:
        """Views into the vector: first all matrices, layer by layer, then all biases."""
        begin = 0
        rows = self.cell.gates * self.state_size
        bias = len(parameters) - 2 * self._biases
        found = []
        for shapes in self.shapes(input_size):
            matrices: list[Array | None] = []
            for a, b in shapes:
                matrices.append(parameters[begin : begin + a * b].reshape(a, b))
                begin += a * b
            inputs, state, project = (*matrices, None)[:3]
            assert inputs is not None
            assert state is not None
            biases = parameters[bias : bias + rows], parameters[bias + rows : bias + 2 * rows]
            bias += 2 * rows
            found.append(Weights(inputs, state, project, *biases))
        return found


class Sequences:
    """The order of a batch's steps, and the steps that exist."""

    def __init__(self, steps: int, lengths: Array | None) -> None:
        self.valid: Array | None = None
        if lengths is not None:
            count = lengths.astype(np.int64)[None, :]
            at = np.arange(steps)[:, None]
            self.valid = (at < count)[:, :, None]
            self._mirrored = np.where(at < count, count - 1 - at, at)[:, :, None]

    def ordered(self, array: Array, direction: int) -> Array:
        """The steps in their order of computation, or back: the backward direction mirrors them."""
        if direction == 0:
            return array
        if self.valid is None:
            return array[::-1]
        return np.take_along_axis(array, self._mirrored, axis=0)


class SavedSteps(NamedTuple):
    """What a layer saves for the backward pass, in the order of the steps; zero beyond a sequence's end.

    Attributes
    ----------
    gates, memory : those of all steps
    """

    gates: Array
    memory: Array | None


def run_direction(
    inputs: Array,
    weights: Weights,
    state: Array,
    cell_state: Array | None,
    cell: Cell,
    valid: Array | None,
) -> tuple[Array, SavedSteps, Array, Array | None]:
    """Run one layer in one direction over (steps, batch, features).

    Returns
    -------
    the outputs of all steps, the saved steps, the final state and the final cell state
    """
    steps, batch = inputs.shape[:2]
    gates = _rows(inputs) @ weights.inputs.T + weights.inputs_bias
    gates = gates.reshape(steps, batch, len(weights.inputs))
    return run_steps(gates, weights, state, cell_state, cell, valid)


def run_steps(
    gates: Array,
    weights: Weights,
    state: Array,
    cell_state: Array | None,
    cell: Cell,
    valid: Array | None,
) -> tuple[Array, SavedSteps, Array, Array | None]:
    """Run the steps of `run_direction` on projected inputs, which are overwritten with the gates."""
    steps, batch = gates.shape[:2]
    outputs = np.empty((steps, batch, state.shape[1]), gates.dtype)
    size = gates.shape[2] // cell.gates
    memories = np.empty((steps, batch, size), gates.dtype) if cell.remembers else None
    transposed = weights.state.T
    for t in range(steps):
        recurrent = state @ transposed + weights.state_bias
        new, memory = cell.forward(gates[t], recurrent, state, cell_state)
        if weights.project is not None:
            new = new @ weights.project.T
        if memories is not None:
            memories[t] = memory
        if valid is None:
            outputs[t] = state = new
            cell_state = memory if cell_state is not None else None
            continue
        gates[t][~valid[t, :, 0]] = 0
        if memories is not None:
            memories[t][~valid[t, :, 0]] = 0
        outputs[t] = np.where(valid[t], new, 0)
        state = np.where(valid[t], new, state)
        if cell_state is not None:
            cell_state = np.where(valid[t], memory, cell_state)  # type: ignore[arg-type]
    return outputs, SavedSteps(gates, memories), state, cell_state


def back_direction(
    inputs: Array,
    outputs: Array,
    gradients: Array,
    weights: Weights,
    found: Weights,
    trace: SavedSteps,
    states: tuple[Array, Array | None],
    last_gradients: tuple[Array, Array],
    cell: Cell,
    valid: Array | None,
) -> tuple[Array, Array, Array]:
    """The gradient of `run_direction`.

    Parameters
    ----------
    gradients : the gradients of the outputs
    found : the arrays that receive the gradients of the weights
    states : the initial state and cell state
    last_gradients : the gradients of the final state and cell state

    Returns
    -------
    the gradients of the inputs, of the initial state and of the initial cell state
    """
    steps = back_steps(outputs, gradients, weights, trace, states, last_gradients, cell, valid)
    flat, flat_recurrent = _rows(steps.inputs), _rows(steps.recurrent)
    found.inputs[...] = flat.T @ _rows(inputs)
    found.state[...] = flat_recurrent.T @ _rows(steps.before)
    found.inputs_bias[...] = total(flat, (0,))
    found.state_bias[...] = total(flat_recurrent, (0,))
    if found.project is not None:
        found.project[...] = _rows(steps.shown).T @ _rows(steps.hidden)
    return (flat @ weights.inputs).reshape(inputs.shape), steps.state, steps.cell


class BackSteps(NamedTuple):
    """What the steps backwards give.

    Attributes
    ----------
    inputs, recurrent : the gradients of the projections of the inputs and of the states
    before : the state before each step
    shown, hidden : with a projection, the gradients of its results, and the states that it projects
    state, cell : the gradients of the initial state and cell state
    """

    inputs: Array
    recurrent: Array
    before: Array
    shown: Array
    hidden: Array
    state: Array
    cell: Array


def back_steps(
    outputs: Array,
    gradients: Array,
    weights: Weights,
    trace: SavedSteps,
    states: tuple[Array, Array | None],
    last_gradients: tuple[Array, Array],
    cell: Cell,
    valid: Array | None,
) -> BackSteps:
    """Run the steps of `back_direction`; they read no inputs."""
    steps = len(outputs)
    before = np.concatenate([states[0][None], outputs[:-1]])
    gradient, cell_gradient = last_gradients
    input_gradients, recurrent_gradients = np.empty_like(trace.gates), np.empty_like(trace.gates)
    shown_gradients, hidden = np.empty_like(outputs), np.empty((0,))
    if weights.project is not None:
        assert trace.memory is not None
        hidden = trace.gates[:, :, -trace.memory.shape[2] :] * np.tanh(trace.memory)
    for t in reversed(range(steps)):
        carried, cell_carried = gradient, cell_gradient
        gradient = gradient + gradients[t]
        if valid is not None:
            gradient, cell_gradient = gradient * valid[t], cell_gradient * valid[t]
        shown_gradients[t] = gradient
        if weights.project is not None:
            gradient = gradient @ weights.project
        memory = None if trace.memory is None else trace.memory[t]
        memory_before = states[1] if t == 0 or trace.memory is None else trace.memory[t - 1]
        step = cell.backward(
            trace.gates[t], before[t], memory_before, memory, gradient, cell_gradient
        )
        input_gradients[t], recurrent_gradients[t] = step.inputs, step.recurrent
        gradient = step.recurrent @ weights.state
        if step.state is not None:
            gradient += step.state
        if step.memory is not None:
            cell_gradient = step.memory
        if valid is not None:  # steps beyond the end pass the gradients of the states through
            gradient = np.where(valid[t], gradient, carried)
            cell_gradient = np.where(valid[t], cell_gradient, cell_carried)
    return BackSteps(
        input_gradients,
        recurrent_gradients,
        before,
        shown_gradients,
        hidden,
        gradient,
        cell_gradient,
    )


def _rows(array: Array) -> Array:
    """Steps and batch collapsed to one axis, which may have length 0."""
    steps, batch, size = array.shape
    return array.reshape(steps * batch, size)
