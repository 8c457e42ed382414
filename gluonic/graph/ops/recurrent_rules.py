"""The inputs and outputs of a recurrent network, with their shapes and dtypes."""

from typing import Any, Literal

from gluonic.graph.errors import InferenceError, NotThereError
from gluonic.graph.ops.layer_rules import require_floating
from gluonic.graph.ops.rnn_kernels import RNNSizes
from gluonic.graph.view import NodeView, peek, put, slots_of, title_of, unify

Mode = Literal["rnn_relu", "rnn_tanh", "lstm", "gru"]


def network_of(n: Any) -> RNNSizes:
    """The network that attributes describe."""
    return RNNSizes(
        n.mode, n.state_size, n.num_layers, 2 if n.bidirectional else 1, n.projection_size
    )


def absent_inputs(n: Any) -> list[str]:
    """The optional inputs that a network does not have."""
    absent = [] if n.mode == "lstm" else ["state_cell"]
    return absent if n.use_sequence_length else [*absent, "sequence_length"]


def shown_outputs(n: Any) -> list[str]:
    """The outputs that a user sees."""
    states = ["state_output", "statecell_output"] if n.mode == "lstm" else ["state_output"]
    return ["output", *states] if n.state_outputs else ["output"]


def saved_outputs(n: Any) -> list[str]:
    """The outputs that are saved for the backward pass."""
    saved = ["gates", "hidden"]
    if network_of(n).cell.remembers:
        saved.append("memory")
    return [*saved, "mask"] if n.p > 0 else saved


def infer_shapes(n: NodeView) -> None:
    """All shapes, from those of the data, the states or the outputs."""
    _check(n)
    network = network_of(n)
    parts = network.num_layers * network.directions
    n.data = (None, None, None)
    n.state = (parts, n.data[1], network.shown)
    batch = unify(n.data[1], n.state[1], f"{title_of(n)}: the batch")
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
        if "masks" in slots_of(n):
            n.masks = n.hidden
    features = n.data[2]
    if features is not None:
        n.parameters = (network.parameter_count(features),)


def _check(n: NodeView) -> None:
    if n.projection_size is not None and (n.mode != "lstm" or n.projection_size < 1):
        raise InferenceError(
            f"{title_of(n)}: projection_size={n.projection_size} needs mode='lstm'"
        )
    if n.lstm_state_clip_min is not None or n.lstm_state_clip_max is not None:
        raise NotThereError("RNN: clipping the states of an LSTM (lstm_state_clip_min, _max)")


def infer_dtypes(n: NodeView) -> None:
    """Give all inputs and outputs except lengths one floating dtype."""
    names = [name for name in slots_of(n) if name != "sequence_length"]
    common: Any = None
    for name in names:
        common = unify(common, peek(n, name), f"{title_of(n)}: {name}")
    for name in names:
        put(n, name, common)
    require_floating(n)
