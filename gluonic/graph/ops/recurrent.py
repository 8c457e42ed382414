"""Recurrent networks as one operator."""

import inspect
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from gluonic.graph.attributes import Positive, Probability, Shape
from gluonic.graph.operator import Array, Operator, Run, operator
from gluonic.graph.ops.layer_rules import wide
from gluonic.graph.ops.recurrent_gradients import gradients
from gluonic.graph.ops.recurrent_rules import (
    Mode,
    absent_inputs,
    infer_dtypes,
    infer_shapes,
    network_of,
    saved_outputs,
    shown_outputs,
)
from gluonic.graph.ops.rnn_kernels import RNNSizes, SavedSteps, Sequences, Weights, run_direction
from gluonic.graph.random_source import Draws


@operator(
    "RNN",
    "_npx_rnn",
    absent=absent_inputs,
    outputs=lambda n: [*shown_outputs(n), *saved_outputs(n)],
    visible=lambda n: len(shown_outputs(n)),
)
def rnn(
    data: Array,
    parameters: Array,
    state: Array,
    state_cell: Array | None = None,
    sequence_length: Array | None = None,
    *,
    state_size: Positive,
    num_layers: Positive,
    bidirectional: bool = False,
    mode: Mode,
    p: Probability = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    run: Run,
) -> Any:
    """Run a recurrent network of one layer or several over a batch of sequences.

    With the projections ``a = W x + b`` of the input and ``u = V h + d`` of the previous state, for each gate:

    - ``rnn_relu``, ``rnn_tanh``: ``h = relu(a + u)`` or ``h = tanh(a + u)``;
    - ``lstm``, gates i, f, g, o: ``c = σ(f) c + σ(i) tanh(g)``, ``h = σ(o) tanh(c)``, each gate being
      ``a + u``; with `projection_size`, ``h`` is then multiplied by a matrix (arXiv:1402.1128);
    - ``gru``, gates r, z, n: ``h = (1 - z) n + z h`` with ``r, z = σ(a + u)`` and ``n = tanh(a + r u)``.

    Parameters
    ----------
    data : array of shape (steps, batch, features)
        Floating-point.
    parameters : array of shape (size,)
        All parameters: for each layer and direction W and V (and the matrix of the projection), then
        for each layer and direction b and d.
    state : array of shape (layers × directions, batch, state_size or projection_size)
        The states before the first step.
    state_cell : array of shape (layers × directions, batch, state_size), optional
        The cell states ``c``; only for ``lstm``.
    sequence_length : array of shape (batch,), optional
        The number of steps of each sequence; only with `use_sequence_length`. Later outputs are zero, the
        final states are those after the last step, and the backward direction begins there.
    state_size : int
        The size of the state.
    num_layers : int
        The number of layers; each reads the outputs of the one below.
    bidirectional : bool, default False
        Whether each layer also runs backwards; the outputs of both directions are joined.
    mode : {"rnn_relu", "rnn_tanh", "lstm", "gru"}
        The kind of cell.
    p : float, default 0
        The probability with which an output of a layer below is dropped in training.
    state_outputs : bool, default False
        Whether to return the final states too.
    projection_size : int, optional
        The size of the projected state of an ``lstm``.
    use_sequence_length : bool, default False
        Whether `sequence_length` is given.
    lstm_state_clip_min, lstm_state_clip_max, lstm_state_clip_nan
        Not implemented.

    Returns
    -------
    output : array of shape (steps, batch, directions × state_size or projection_size)
    state_output, statecell_output : arrays like state and state_cell, with `state_outputs`
    """
    network = RNNSizes(mode, state_size, num_layers, 2 if bidirectional else 1, projection_size)

    masks: Array | None = None
    if p > 0:
        shape = (num_layers - 1, *data.shape[:2], network.directions * network.shown)
        masks = draw_masks(run.random, shape, data.dtype, p) if run.train else np.ones(shape)
    arrays = data, parameters, state, state_cell, sequence_length
    return _run(network, arrays, masks, state_outputs=state_outputs)


def draw_masks(random: Draws, shape: Shape, dtype: Any, p: float) -> Array:
    """Draw the dropout masks, scale included, of what each layer reads from the one below."""
    scales = np.array([0, dropout_scale(p)], dtype)
    return scales[(random.uniforms(shape) >= np.float32(p)).view(np.uint8)]


def _masked(*arrays: Array, p: float, state_outputs: bool, **settings: Any) -> Any:
    """`RNN` in training with given dropout masks."""
    data, parameters, state, masks, *others = arrays
    state_cell, sequence_length = (*others, None, None)[:2]
    given = data, parameters, state, state_cell, sequence_length
    network = network_of(SimpleNamespace(**settings))
    return _run(network, given, masks, state_outputs=state_outputs)


def _run(
    network: RNNSizes,
    arrays: Sequence[Array | None],
    masks: Array | None,
    *,
    state_outputs: bool,
) -> tuple[Array, ...]:
    """The outputs of a network; `masks` are applied to the outputs of the layers below."""
    data, parameters, state, state_cell, sequence_length = arrays
    assert data is not None
    assert parameters is not None
    assert state is not None
    sequences = Sequences(len(data), sequence_length)
    inputs, states = wide(data), (wide(state), state_cell)
    weights = network.unpack(wide(parameters), data.shape[2])
    ran: list[tuple[SavedSteps, Array, Array | None]] = []
    outputs: list[Array] = []
    for layer in range(network.num_layers):
        if layer:
            inputs = outputs[-1] if masks is None else outputs[-1] * wide(masks[layer - 1])
        output, directions = _run_layer(network, layer, inputs, weights, states, sequences)
        outputs.append(output)
        ran += directions
    traces, lasts, last_cells = zip(*ran, strict=True)
    result = [outputs[-1]]
    if state_outputs:
        result.append(np.stack(lasts))
        if network.mode == "lstm":
            result.append(np.stack(last_cells))
    result += [np.stack([trace.gates for trace in traces]), _stack(outputs[:-1], outputs[-1])]
    if network.cell.remembers:
        result.append(np.stack([trace.memory for trace in traces]))
    if masks is not None:
        result.append(masks)
    return tuple(result)


def _run_layer(
    network: RNNSizes,
    layer: int,
    inputs: Array,
    weights: Sequence[Weights],
    states: tuple[Array, Array | None],
    sequences: Sequences,
) -> tuple[Array, list[tuple[SavedSteps, Array, Array | None]]]:
    """The output of a layer, and for each direction its saved steps and its final states."""
    state, cells = states
    outputs, ran = [], []
    for direction in range(network.directions):
        i = layer * network.directions + direction
        output, trace, last, last_cell = run_direction(
            sequences.ordered(inputs, direction),
            weights[i],
            state[i],
            None if cells is None else wide(cells[i]),
            network.cell,
            sequences.valid,
        )
        outputs.append(sequences.ordered(output, direction))
        ran.append((trace, last, last_cell))
    return np.concatenate(outputs, axis=2) if len(outputs) > 1 else outputs[0], ran


def dropout_scale(p: float) -> float:
    """The factor on outputs that are kept."""
    return 0.0 if p == 1 else 1 / (1 - p)


def _stack(arrays: list[Array], like: Array) -> Array:
    """Arrays like `like` along a new first axis, which may have length 0."""
    return np.stack(arrays) if arrays else np.empty((0, *like.shape), like.dtype)


def _masked_signature() -> inspect.Signature:
    """The signature of `RNN`, with masks and without `run`."""
    listed = dict(inspect.signature(rnn.kernel).parameters)
    del listed["run"]
    masks = inspect.Parameter("masks", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Array)
    others = list(listed.values())
    return inspect.Signature([*others[:3], masks, *others[3:]])


_masked.__signature__ = _masked_signature()  # type: ignore[attr-defined]
masked_rnn = Operator(
    "_masked_RNN",
    _masked,
    absent=absent_inputs,
    outputs=lambda n: [*shown_outputs(n), *saved_outputs(n)],
    visible=lambda n: len(shown_outputs(n)),
)
"""The operator that replaces `RNN` in rewritten graphs for training."""


for _op in (rnn, masked_rnn):
    _op.infer_shape(infer_shapes)
    _op.infer_dtype(infer_dtypes)
    _op.all_gradients(gradients)
