"""Recurrent networks as one operator."""

import inspect
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Operator, Run, operator
from gluonic.graph.ops.layer_rules import require_floating, wide
from gluonic.graph.ops.rnn_kernels import Network, Sequences, Trace, back_direction, run_direction
from gluonic.graph.random_words import kept, take_key
from gluonic.graph.view import NodeView, unify

Mode = Literal["rnn_relu", "rnn_tanh", "lstm", "gru"]


def _network(n: Any) -> Network:
    return Network(
        n.mode, n.state_size, n.num_layers, 2 if n.bidirectional else 1, n.projection_size
    )


def _absent(n: Any) -> list[str]:
    absent = [] if n.mode == "lstm" else ["state_cell"]
    return absent if n.use_sequence_length else [*absent, "sequence_length"]


def _shown(n: Any) -> list[str]:
    """The outputs that a user sees."""
    states = ["state_output", "statecell_output"] if n.mode == "lstm" else ["state_output"]
    return ["output", *states] if n.state_outputs else ["output"]


def _saved(n: Any) -> list[str]:
    """The outputs that are kept for the way back."""
    saved = ["gates", "hidden"]
    if _network(n).cell.remembers:
        saved.append("memory")
    return [*saved, "mask"] if n.p > 0 else saved


@operator(
    "RNN",
    "_npx_rnn",
    absent=_absent,
    outputs=lambda n: [*_shown(n), *_saved(n)],
    visible=lambda n: len(_shown(n)),
)
def rnn(
    data: Array,
    parameters: Array,
    state: Array,
    state_cell: Array | None = None,
    sequence_length: Array | None = None,
    *,
    state_size: int,
    num_layers: int,
    bidirectional: bool = False,
    mode: Mode,
    p: float = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    run: Run,
) -> Any:
    """Run a recurrent network of one layer or several over a batch of sequences.

    With the projections ``a = W x + b`` of the input and ``u = V h + d`` of the state before, for each gate:

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
        How many steps each sequence has; only with `use_sequence_length`. Later outputs are zero, the
        states are those after the last step, and the second direction begins there.
    state_size : int
        The size of the state.
    num_layers : int
        How many layers there are; each reads the outputs of the one below.
    bidirectional : bool, default False
        Whether each layer also runs backwards; the outputs of both directions are joined.
    mode : {"rnn_relu", "rnn_tanh", "lstm", "gru"}
        The kind of cell.
    p : float, default 0
        The probability with which an output of a layer below is dropped in training.
    state_outputs : bool, default False
        Whether to return the last states too.
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
    network = Network(mode, state_size, num_layers, 2 if bidirectional else 1, projection_size)

    def drawn(output: Array) -> Array:
        if run.train:
            return _dropout_mask(output, p, take_key(run.random))
        return np.ones_like(output)

    arrays = data, parameters, state, state_cell, sequence_length
    return _run(network, arrays, drawn if p > 0 else None, state_outputs=state_outputs)


def _keyed(*arrays: Array, number: int, p: float, state_outputs: bool, **settings: Any) -> Any:
    """`RNN` in training with the keys from that number on."""
    data, parameters, state, keys, *others = arrays
    state_cell, sequence_length = (*others, None, None)[:2]
    numbers = iter(keys[number:].tolist())
    network = _network(SimpleNamespace(**settings))

    def drawn(output: Array) -> Array:
        return _dropout_mask(output, p, next(numbers))

    given = data, parameters, state, state_cell, sequence_length
    return _run(network, given, drawn, state_outputs=state_outputs)


def _run(
    network: Network,
    arrays: Sequence[Array | None],
    drawn: Callable[[Array], Array] | None,
    *,
    state_outputs: bool,
) -> tuple[Array, ...]:
    """The outputs of a network; `drawn` gives the mask of what a layer below passes on."""
    data, parameters, state, state_cell, sequence_length = arrays
    assert data is not None
    assert parameters is not None
    assert state is not None
    sequences = Sequences(len(data), sequence_length)
    inputs, first, cells = wide(data), wide(state), state_cell
    weights = network.unpack(wide(parameters), data.shape[2])
    traces: list[Trace] = []
    outputs: list[Array] = []
    masks: list[Array] = []
    lasts, last_cells = [], []
    for layer in range(network.num_layers):
        if layer and drawn is not None:
            masks.append(drawn(outputs[-1]))
            inputs = outputs[-1] * masks[-1]
        elif layer:
            inputs = outputs[-1]
        both = []
        for direction in range(network.directions):
            i = layer * network.directions + direction
            output, trace, last, last_cell = run_direction(
                sequences.ordered(inputs, direction),
                weights[i],
                first[i],
                None if cells is None else wide(cells[i]),
                network.cell,
                sequences.valid,
            )
            both.append(sequences.ordered(output, direction))
            traces.append(trace)
            lasts.append(last)
            last_cells.append(last_cell)
        outputs.append(np.concatenate(both, axis=2) if len(both) > 1 else both[0])
    result = [outputs[-1]]
    if state_outputs:
        result.append(np.stack(lasts))
        if network.mode == "lstm":
            result.append(np.stack(last_cells))  # type: ignore[arg-type]
    result += [np.stack([trace.gates for trace in traces]), _stack(outputs[:-1], outputs[-1])]
    if network.cell.remembers:
        result.append(np.stack([trace.memory for trace in traces]))  # type: ignore[misc]
    if drawn is not None:
        result.append(_stack(masks, outputs[-1]))
    return tuple(result)


def _dropout_mask(output: Array, p: float, key: int) -> Array:
    mask: Array = kept(key, output.shape, p) * output.dtype.type(dropout_scale(p))
    return mask


def dropout_scale(p: float) -> float:
    """By what an output is multiplied that is kept."""
    return 0.0 if p == 1 else 1 / (1 - p)


def _stack(arrays: list[Array], like: Array) -> Array:
    """Arrays like `like` along a new first axis, of which there may be none."""
    return np.stack(arrays) if arrays else np.empty((0, *like.shape), like.dtype)


def _keyed_signature() -> inspect.Signature:
    """The signature of `RNN` with keys and without a run."""
    listed = dict(inspect.signature(rnn.kernel).parameters)
    del listed["run"]
    keys = inspect.Parameter("keys", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Array)
    number = inspect.Parameter("number", inspect.Parameter.KEYWORD_ONLY, annotation=int)
    others = list(listed.values())
    return inspect.Signature([*others[:3], keys, *others[3:], number])


_keyed.__signature__ = _keyed_signature()  # type: ignore[attr-defined]
keyed_rnn = Operator(
    "_keyed_RNN",
    _keyed,
    absent=_absent,
    outputs=lambda n: [*_shown(n), *_saved(n)],
    visible=lambda n: len(_shown(n)),
)
"""What rewritten graphs have in training."""


def _shapes(n: NodeView) -> None:
    _check(n)
    network = _network(n)
    parts = network.num_layers * network.directions
    n.data = (None, None, None)
    n.state = (parts, n.data[1], network.shown)
    batch = unify(n.data[1], n.state[1], f"{n._title}: the batch")
    if n.mode == "lstm":
        n.state_cell = (parts, batch, network.state_size)
    if n.use_sequence_length:
        n.sequence_length = (batch,)
    n.output = (n.data[0], batch, network.directions * network.shown)
    steps, batch = n.output[:2]
    n.data = (steps, batch, None)
    n.state = (parts, batch, network.shown)
    if n.state_outputs:
        n.state_output = n.state
        if n.mode == "lstm":
            n.statecell_output = n.state_cell
    gates = network.cell.gates * network.state_size
    n.gates = (parts, steps, batch, gates)
    n.hidden = (network.num_layers - 1, *n.output)
    if network.cell.remembers:
        n.memory = (parts, steps, batch, network.state_size)
    if n.p > 0:
        n.mask = n.hidden
    features = n.data[2]
    if features is not None:
        n.parameters = (network.parameter_count(features),)


def _check(n: NodeView) -> None:
    if n.num_layers < 1 or n.state_size < 1:
        raise InferenceError(f"{n._title}: num_layers and state_size must be positive")
    if not 0 <= n.p <= 1:
        raise InferenceError(f"{n._title}: p={n.p} is no probability")
    if n.projection_size is not None and (n.mode != "lstm" or n.projection_size < 1):
        raise InferenceError(f"{n._title}: projection_size={n.projection_size} needs mode='lstm'")
    if n.lstm_state_clip_min is not None or n.lstm_state_clip_max is not None:
        raise NotImplementedError("RNN: clipping the states of an LSTM (lstm_state_clip_min, _max)")


def _dtypes(n: NodeView) -> None:
    names = [name for name in n._slots if name not in ("sequence_length", "keys")]
    common: Any = None
    for name in names:
        common = unify(common, n._known(name), f"{n._title}: {name}")
    for name in names:
        setattr(n, name, common)
    require_floating(n)


_INPUTS = ("data", "parameters", "state", "state_cell")
_ATTRIBUTES = (
    "state_size", "num_layers", "bidirectional", "mode", "p", "state_outputs", "projection_size",
    "use_sequence_length",
)  # fmt: skip


def _gradients(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    shown, saved = _shown(n), _saved(n)
    slopes = {
        f"{name}_slope": F.zeros_like(getattr(n, name)) if head is None else head
        for name, head in zip(shown, heads, strict=False)
    }
    values = {name: n._known(name) for name in ("output", *saved, *_INPUTS, "sequence_length")}
    values.update(slopes)
    arrays = (values.get(name) for name in _backward_rnn.inputs)
    found = F._backward_RNN(*arrays, **{name: getattr(n, name) for name in _ATTRIBUTES})
    return dict(zip([name for name in _INPUTS if name in n._slots], found, strict=True))


for _op in (rnn, keyed_rnn):
    _op.infer_shape(_shapes)
    _op.infer_dtype(_dtypes)
    _op.all_gradients(_gradients)


def _absent_backwards(n: Any) -> list[str]:
    absent = _absent(n)
    present = {*(f"{name}_slope" for name in _shown(n)), *_saved(n)}
    optional = ("state_output_slope", "statecell_output_slope", "memory", "mask")
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
    output_slope: Array,
    state_cell: Array | None = None,
    sequence_length: Array | None = None,
    memory: Array | None = None,
    mask: Array | None = None,
    state_output_slope: Array | None = None,
    statecell_output_slope: Array | None = None,
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
    """The gradients of RNN's inputs, from those of its outputs and from what it kept."""
    network = Network(mode, state_size, num_layers, 2 if bidirectional else 1, projection_size)
    sequences = Sequences(len(data), sequence_length)
    parts = num_layers * network.directions
    packed = wide(parameters)
    weights = network.unpack(packed, data.shape[2])
    parameter_slopes = np.empty_like(packed)
    found = network.unpack(parameter_slopes, data.shape[2])
    state_slopes = _given(state_output_slope, state)
    cell_slopes = _given(statecell_output_slope, state if state_cell is None else state_cell)
    slope = wide(output_slope)
    layers = [*(wide(array) for array in hidden), wide(output)]
    for layer in reversed(range(num_layers)):
        inputs = wide(data) if layer == 0 else layers[layer - 1]
        if layer and mask is not None:
            inputs = inputs * mask[layer - 1]
        below = []
        for direction in range(network.directions):
            i = layer * network.directions + direction
            columns = slice(direction * network.shown, (direction + 1) * network.shown)
            input_slope, state_slopes[i], cell_slopes[i] = back_direction(
                sequences.ordered(inputs, direction),
                sequences.ordered(layers[layer][:, :, columns], direction),
                sequences.ordered(slope[:, :, columns], direction),
                weights[i],
                found[i],
                Trace(wide(gates[i]), None if memory is None else wide(memory[i])),
                (wide(state[i]), None if state_cell is None else wide(state_cell[i])),
                (state_slopes[i], cell_slopes[i]),
                network.cell,
                sequences.valid,
            )
            below.append(sequences.ordered(input_slope, direction))
        slope = sum(below[1:], below[0])
        if layer and mask is not None:
            slope = slope * mask[layer - 1]
    result = (slope, parameter_slopes, state_slopes)
    assert len(state_slopes) == parts
    return result if state_cell is None else (*result, cell_slopes)


def _given(slope: Array | None, like: Array) -> Array:
    """A gradient to add to, zero unless it is given."""
    return np.zeros_like(wide(like)) if slope is None else np.array(wide(slope))


@_backward_rnn.infer_shape
def _(n: NodeView) -> None:
    for name in n._slots:
        if name.endswith("_gradient"):
            setattr(n, name, getattr(n, name.removesuffix("_gradient")))


@_backward_rnn.infer_dtype
def _(n: NodeView) -> None:
    for name in n._slots:
        if name.endswith("_gradient"):
            setattr(n, name, getattr(n, name.removesuffix("_gradient")))
