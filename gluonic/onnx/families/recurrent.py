"""Recurrent layers."""

from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.ops.rnn_kernels import RNNSizes
from gluonic.onnx.errors import NotExportable, NotImportable
from gluonic.onnx.table import family
from gluonic.onnx.use import fixed, known, shape_of

recurrent = family("recurrent layers")

# The order of gates: ours as positions in ONNX's. LSTM: i, f, g, o and i, o, f, c; GRU: r, z, n and z, r, h.
GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
_OPERATORS = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN", "rnn_relu": "RNN"}


def reordered(weights: Array, mode: str) -> Array:
    """The rows of a matrix or vector of all gates, in ONNX's order."""
    gates = np.split(weights, len(GATES[mode]))
    return np.concatenate([gates[index] for index in GATES[mode]])


@recurrent.write("RNN")
def _(o: Any, n: Any) -> Any:
    if n.projection_size is not None:
        raise NotExportable("ONNX's LSTM has no projection")
    sizes = RNNSizes(n.mode, n.state_size, n.num_layers, 2 if n.bidirectional else 1, None)
    features = fixed(shape_of(n, "data")[2], "the number of features")
    weights = sizes.unpack(known(n, "parameters"), features)
    lengths = None if n.sequence_length is None else o.cast(n.sequence_length, np.int32)
    outputs, states, cells = n.data, [], []
    count = sizes.directions
    for layer in range(n.num_layers):
        part = weights[layer * count : (layer + 1) * count]
        begin = [_layer_of(o, each, layer, count, n.num_layers) for each in (n.state, n.state_cell)]
        found = _run(o, n, outputs, part, lengths, begin, count)
        outputs = _joined(o, n, found[0], count)
        states.append(found[1])
        cells.extend(found[2:])
    shown = [outputs]
    if n.state_outputs:
        for parts in (states, cells):
            if parts:
                shown.append(parts[0] if len(parts) == 1 else o.Concat(*parts, axis=0))
    return shown


def _layer_of(o: Any, state: Any, layer: int, directions: int, layers: int) -> Any:
    """The states of one layer."""
    if state is None or layers == 1:
        return state
    return o.slice(state, [0], [layer * directions], [(layer + 1) * directions])


def _run(
    o: Any, n: Any, data: Any, weights: list[Any], lengths: Any, begin: list[Any], directions: int
) -> list[Any]:
    """One layer."""
    matrices = [
        np.stack([reordered(getattr(each, name), n.mode) for each in weights])
        for name in ("inputs", "state")
    ]
    biases = np.stack(
        [
            np.concatenate([reordered(b, n.mode) for b in (each.inputs_bias, each.state_bias)])
            for each in weights
        ]
    )
    attributes: dict[str, Any] = {
        "hidden_size": n.state_size,
        "direction": "bidirectional" if directions == 2 else "forward",
    }
    if n.mode == "gru":
        attributes["linear_before_reset"] = 1
    if n.mode == "rnn_relu":
        attributes["activations"] = ["Relu"] * directions
    state, cell = begin
    inputs = [data, *matrices, biases, lengths, state]
    inputs += [cell] if n.mode == "lstm" else []
    count = 3 if n.mode == "lstm" else 2
    made: list[Any] = getattr(o, _OPERATORS[n.mode])(*inputs, outputs=count, **attributes)
    return made


def _joined(o: Any, n: Any, outputs: Any, directions: int) -> Any:
    """(steps, directions, batch, size) as (steps, batch, directions · size)."""
    if directions == 1:
        return o.squeeze(outputs, 1)
    turned = o.Transpose(outputs, perm=[0, 2, 1, 3])
    return o.Reshape(turned, [0, 0, directions * n.state_size])


# ------------------------------------------------------------------------ reading


def _in_our_order(weights: Array, mode: str) -> Array:
    """The rows of all gates in gluonic's order."""
    gates = np.split(weights, len(GATES[mode]))
    return np.concatenate([gates[theirs] for theirs in np.argsort(GATES[mode])])


_DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}


def _mode(n: Any, directions: int) -> str:
    kind = n.node.op_type
    functions = n.attribute("activations") or _DEFAULTS[kind] * directions
    functions = [f.decode() if isinstance(f, bytes) else f for f in functions]
    if kind == "RNN" and functions == ["Relu"] * directions:
        return "rnn_relu"
    if [f.capitalize() for f in functions] != _DEFAULTS[kind] * directions:
        raise NotImportable(f"the activations {', '.join(functions)}")
    if kind == "GRU" and not n.attribute("linear_before_reset", 0):
        raise NotImportable("linear_before_reset=0: gluonic's GRU resets after the product")
    return {"LSTM": "lstm", "GRU": "gru", "RNN": "rnn_tanh"}[kind]


@recurrent.read("LSTM", "GRU", "RNN")
def _(F: Any, n: Any) -> Any:
    n.refuse("clip", "input_forget", "activation_alpha", "activation_beta")
    if n.has(7):
        raise NotImportable("peepholes")
    direction = n.attribute("direction", "forward")
    count = 2 if direction == "bidirectional" else 1
    mode = _mode(n, count)
    vector = _packed(n, mode, count)
    batch_first = n.attribute("layout", 0)
    data = F.transpose(n[0], axes=(1, 0, 2)) if batch_first else n[0]
    if direction == "reverse":
        if n.has(4):
            raise NotImportable("a reverse direction with lengths")
        data = F.reverse(data, axis=(0,))
    size = n.attribute("hidden_size") or n.shape(2)[2]
    states = [
        _begin(F, n, index, data, size, count, batch_first)
        for index in (5, 6)[: 1 + (mode == "lstm")]
    ]
    lengths = [n[4]] if n.has(4) else []
    outputs, *last = F.RNN(
        data, vector, *states, *lengths, state_size=size, num_layers=1, bidirectional=count == 2, mode=mode,
        state_outputs=True, use_sequence_length=n.has(4),
    )[: 2 + (mode == "lstm")]  # fmt: skip
    if direction == "reverse":
        outputs = F.reverse(outputs, axis=(0,))
    split = F.Reshape(outputs, shape=(0, 0, -4, count, size))
    order = (1, 0, 2, 3) if batch_first else (0, 2, 1, 3)
    shown = split if batch_first else F.transpose(split, axes=order)
    if batch_first:
        shown = F.transpose(split, axes=order)
        last = [F.transpose(each, axes=(1, 0, 2)) for each in last]
    return [shown, *last][: n.output_count]


def _packed(n: Any, mode: str, directions: int) -> Any:
    """All parameters as one vector."""
    matrices, biases = [], []
    inputs, state = n.known(1), n.known(2)
    both = n.known(3) if n.has(3) else np.zeros((directions, 2 * inputs.shape[1]), inputs.dtype)
    for direction in range(directions):
        for weights in (inputs, state):
            matrices.append(_in_our_order(weights[direction], mode).reshape(-1))
        for half in np.split(both[direction], 2):
            biases.append(_in_our_order(half, mode))
    return n.constant(np.concatenate([*matrices, *biases]), f"{n.output_name}_parameters")


def _begin(
    F: Any, n: Any, index: int, data: Any, size: int, directions: int, batch_first: Any
) -> Any:
    """The first state, zeros unless it is given."""
    if n.has(index):
        return F.transpose(n[index], axes=(1, 0, 2)) if batch_first else n[index]
    column = F.slice_axis(F.slice_axis(data, axis=0, begin=0, end=1), axis=2, begin=0, end=1)
    return F.zeros_like(F.tile(column, reps=(directions, 1, size)))
