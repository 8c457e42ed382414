"""The gradients of recurrent networks, from what their forward pass has saved."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.all_gradients import by_input, or_zeros
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import wide
from gluonic.graph.ops.recurrent_rules import Mode, absent_inputs, saved_outputs, shown_outputs
from gluonic.graph.ops.rnn_kernels import RNNSizes, SavedSteps, Sequences, back_direction
from gluonic.graph.view import NodeView, peek, put, slots_of

_INPUTS = ("data", "parameters", "state", "state_cell")
_ATTRIBUTES = (
    "state_size", "num_layers", "bidirectional", "mode", "p", "state_outputs", "projection_size",
    "use_sequence_length",
)  # fmt: skip


def gradients(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    """The gradient rule: one operator computes all gradients."""
    shown, saved = shown_outputs(n), saved_outputs(n)
    received = or_zeros(F, heads, [getattr(n, name) for name in shown])
    values = {name: peek(n, name) for name in ("output", *saved, *_INPUTS, "sequence_length")}
    values.update(zip([f"grad_{name}" for name in shown], received, strict=False))
    arrays = (values.get(name) for name in _backward_rnn.inputs)
    found = F._backward_RNN(*arrays, **{name: getattr(n, name) for name in _ATTRIBUTES})
    return by_input([name for name in _INPUTS if name in slots_of(n)], found)


def _absent_backwards(n: Any) -> list[str]:
    absent = absent_inputs(n)
    present = {*(f"grad_{name}" for name in shown_outputs(n)), *saved_outputs(n)}
    optional = ("grad_state_output", "grad_statecell_output", "memory", "mask")
    return [*absent, *(name for name in optional if name not in present)]


@operator(
    "_backward_RNN",
    absent=_absent_backwards,
    outputs=lambda n: [f"{name}_gradient" for name in _INPUTS[: 4 if n.mode == "lstm" else 3]],
)
def _backward_rnn(
    data: Array,
    parameters: Array,
    state: Array,
    output: Array,
    gates: Array,
    hidden: Array,
    grad_output: Array,
    state_cell: Array | None = None,
    sequence_length: Array | None = None,
    memory: Array | None = None,
    mask: Array | None = None,
    grad_state_output: Array | None = None,
    grad_statecell_output: Array | None = None,
    *,
    state_size: int,
    num_layers: int,
    bidirectional: bool = False,
    mode: Mode,
    p: float = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    use_sequence_length: bool = False,
) -> Any:
    """The gradients of RNN's inputs, from those of its outputs and from what it saved."""
    network = RNNSizes(mode, state_size, num_layers, 2 if bidirectional else 1, projection_size)
    sequences = Sequences(len(data), sequence_length)
    parts = num_layers * network.directions
    packed = wide(parameters)
    weights = network.unpack(packed, data.shape[2])
    parameter_gradients = np.empty_like(packed)
    found = network.unpack(parameter_gradients, data.shape[2])
    state_gradients = _given(grad_state_output, state)
    cell_gradients = _given(grad_statecell_output, state if state_cell is None else state_cell)
    gradient = wide(grad_output)
    layers = [*(wide(array) for array in hidden), wide(output)]
    for layer in reversed(range(num_layers)):
        inputs = wide(data) if layer == 0 else layers[layer - 1]
        if layer and mask is not None:
            inputs = inputs * mask[layer - 1]
        below = []
        for direction in range(network.directions):
            i = layer * network.directions + direction
            columns = slice(direction * network.shown, (direction + 1) * network.shown)
            input_gradient, state_gradients[i], cell_gradients[i] = back_direction(
                sequences.ordered(inputs, direction),
                sequences.ordered(layers[layer][:, :, columns], direction),
                sequences.ordered(gradient[:, :, columns], direction),
                weights[i],
                found[i],
                SavedSteps(wide(gates[i]), None if memory is None else wide(memory[i])),
                (wide(state[i]), None if state_cell is None else wide(state_cell[i])),
                (state_gradients[i], cell_gradients[i]),
                network.cell,
                sequences.valid,
            )
            below.append(sequences.ordered(input_gradient, direction))
        gradient = sum(below[1:], below[0])
        if layer and mask is not None:
            gradient = gradient * mask[layer - 1]
    result = (gradient, parameter_gradients, state_gradients)
    assert len(state_gradients) == parts
    return result if state_cell is None else (*result, cell_gradients)


def _given(gradient: Array | None, like: Array) -> Array:
    """A gradient to accumulate into, initially zero unless given."""
    return np.zeros_like(wide(like)) if gradient is None else np.array(wide(gradient))


@_backward_rnn.infer_shape
@_backward_rnn.infer_dtype
def _(n: NodeView) -> None:
    for name in slots_of(n):
        if name.endswith("_gradient"):
            put(n, name, getattr(n, name.removesuffix("_gradient")))
