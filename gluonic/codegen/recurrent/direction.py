"""The steps of one direction of a recurrent layer as operators of rewritten graphs.

Between them, and around them, are products: of all inputs at once before the steps, and of all gradients after
the steps backwards. All arrays are in the order of the sequence but what the forward steps save, which are in
the order of the steps.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.codegen.loops.inner_operators import inner_operator
from gluonic.graph import Array, Entry, Node, Operator
from gluonic.graph.ops.recurrent_rules import Mode
from gluonic.graph.ops.rnn_cells import CELLS
from gluonic.graph.ops.rnn_kernels import SavedSteps, Sequences, Weights, back_steps, run_steps
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, put, slots_of


def _absent(n: Any) -> list[str]:
    names = {
        "state_cell": n.mode == "lstm",
        "grad_cell": n.mode == "lstm",
        "memory": CELLS[n.mode].remembers,
        "project": n.projects,
        "sequence_length": n.has_lengths,
    }
    return [name for name, is_there in names.items() if not is_there]


def _absent_forward(n: Any) -> list[str]:
    return [name for name in _absent(n) if name not in ("memory", "grad_cell")]


def _results(n: Any) -> list[str]:
    names = ["output", "gates", "last_state"]
    if n.mode == "lstm":
        names.append("last_cell")
    return [*names, "memory"] if CELLS[n.mode].remembers else names


def _back_results(n: Any) -> list[str]:
    names = ["inputs_gradient", "recurrent_gradient", "before", "state_gradient"]
    if n.mode == "lstm":
        names.append("cell_gradient")
    return [*names, "shown_gradient", "hidden"] if n.projects else names


def _weights(recurrent: Array, bias: Array, project: Array | None) -> Weights:
    return Weights(recurrent, recurrent, project, bias, bias)


@inner_operator("_recurrent_steps", outputs=_results, absent=_absent_forward)
def recurrent_steps(
    inputs: Array,
    recurrent: Array,
    bias: Array,
    state: Array,
    state_cell: Array | None = None,
    project: Array | None = None,
    sequence_length: Array | None = None,
    *,
    mode: Mode,
    projects: bool,
    has_lengths: bool,
    backwards: bool,
) -> Any:
    """Run the steps of a direction.

    Parameters
    ----------
    inputs : the projected inputs, biases included, (steps, batch, gates × state_size)
    recurrent, bias, project : the weights of the state, its bias, the matrix of a projection
    state, state_cell : those before the first step
    sequence_length : the number of steps of each sequence
    """
    sequences = Sequences(len(inputs), sequence_length)
    output, trace, last, last_cell = run_steps(
        np.array(sequences.ordered(inputs, backwards)),
        _weights(recurrent, bias, project),
        state,
        state_cell,
        CELLS[mode],
        sequences.valid,
    )
    results = [sequences.ordered(output, backwards), trace.gates, last]
    others = [last_cell if mode == "lstm" else None, trace.memory]
    return (*results, *(each for each in others if each is not None))


@recurrent_steps.infer_shape
def _(n: NodeView) -> None:
    steps, batch, width = n.inputs
    size = width // CELLS[n.mode].gates
    shapes = {
        "output": (steps, batch, *n.state[1:]),
        "gates": n.inputs,
        "last_state": n.state,
        "last_cell": (batch, size),
        "memory": (steps, batch, size),
    }
    for name in _results(n):
        put(n, name, shapes[name])


@inner_operator("_recurrent_steps_back", outputs=_back_results, absent=_absent)
def recurrent_steps_back(
    recurrent: Array,
    state: Array,
    output: Array,
    gates: Array,
    grad_output: Array,
    grad_state: Array,
    state_cell: Array | None = None,
    grad_cell: Array | None = None,
    memory: Array | None = None,
    project: Array | None = None,
    sequence_length: Array | None = None,
    *,
    mode: Mode,
    projects: bool,
    has_lengths: bool,
    backwards: bool,
) -> Any:
    """The gradients of `recurrent_steps`, but for the products over all steps; see `BackSteps`."""
    sequences = Sequences(len(output), sequence_length)
    cell_gradient = grad_state if grad_cell is None else grad_cell
    found = back_steps(
        sequences.ordered(output, backwards),
        sequences.ordered(grad_output, backwards),
        _weights(recurrent, recurrent[:, 0], project),
        SavedSteps(gates, memory),
        (state, state_cell),
        (grad_state, cell_gradient),
        CELLS[mode],
        sequences.valid,
    )
    of_steps = found.inputs, found.recurrent, found.before, found.shown, found.hidden
    inputs, products, before, shown, hidden = (
        sequences.ordered(each, backwards) if each.ndim == 3 else each for each in of_steps
    )
    results = [inputs, products, before, found.state]
    if mode == "lstm":
        results.append(found.cell)
    return (*results, shown, hidden) if projects else tuple(results)


@recurrent_steps_back.infer_shape
def _(n: NodeView) -> None:
    steps, batch, _ = n.gates
    size = len_of(n)
    shapes = {
        "inputs_gradient": n.gates,
        "recurrent_gradient": n.gates,
        "before": n.output,
        "state_gradient": n.state,
        "cell_gradient": (batch, size),
        "shown_gradient": n.output,
        "hidden": (steps, batch, size),
    }
    for name in _back_results(n):
        put(n, name, shapes[name])


def len_of(n: NodeView) -> int:
    """The number of elements of a state before any projection."""
    size: int = n.gates[2] // CELLS[n.mode].gates
    return size


def _like_the_state(n: NodeView) -> None:
    like("state", *(name for name in slots_of(n) if name != "sequence_length"))(n)


for _op in (recurrent_steps, recurrent_steps_back):
    _op.infer_dtype(_like_the_state)


def steps_of(op: Operator, given: Sequence[Entry | None], **settings: Any) -> dict[str, Entry]:
    """Apply one of the operators; return its outputs by name."""
    application = op.apply(settings)
    node = Node(application, op.name.strip("_"), [entry for entry in given if entry is not None])
    return {name: node.entry(i) for i, name in enumerate(application.outputs)}
