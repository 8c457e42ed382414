"""Recurrent layers."""

from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.ops.rnn_kernels import RNNSizes
from gluonic.onnx.errors import NotExportable
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
