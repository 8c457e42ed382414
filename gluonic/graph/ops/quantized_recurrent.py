"""LSTMs whose inputs and weights are small integers. They have no gradients."""

from collections.abc import Sequence
from functools import reduce
from typing import Any, Literal

import numpy as np

from gluonic.graph.attributes import Positive, Probability
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.ops.layer_rules import set_all
from gluonic.graph.ops.recurrent import rnn
from gluonic.graph.ops.rnn_kernels import RNNSizes
from gluonic.graph.quantized_numbers import FLOAT32, UINT8
from gluonic.graph.view import NodeView, title_of

_FLOATS = (
    *("parameters", "state", "state_cell", "min_data", "max_data"),
    *("output", "state_output", "statecell_ouput"),
)


def _shown(n: Any) -> list[str]:
    states = ["state_output", "statecell_ouput"]  # MXNet's spelling, which is in files
    return ["output", *states] if n.state_outputs else ["output"]


@operator("_contrib_quantized_rnn", outputs=_shown)
def quantized_rnn(
    data: Array,
    parameters: Array,
    state: Array,
    state_cell: Array,
    min_data: Array,
    max_data: Array,
    *,
    state_size: Positive,
    num_layers: Positive,
    bidirectional: bool = False,
    mode: Literal["lstm"],
    p: Probability = 0.0,
    state_outputs: bool = False,
    projection_size: int | None = None,
    lstm_state_clip_min: float | None = None,
    lstm_state_clip_max: float | None = None,
    lstm_state_clip_nan: bool = False,
    use_sequence_length: bool = False,
    quantized: bool = True,
    run: Run,
) -> Any:
    """Run an LSTM over inputs of uint8, with weights rounded to 8 bits.

    Each row of a layer's weights is rounded to 255 levels, with a scale of its own. States and biases are
    floating-point.

    Parameters
    ----------
    data : uint8 array of shape (steps, batch, features), as `quantize_asym` makes it
    parameters, state, state_cell : float32 arrays, as for RNN
    min_data, max_data : float32 arrays of shape (1,)
        The scale and the shift of `data`, under MXNet's names: it represents ``(data - shift) / scale``.
    quantized : bool
        Accepted and ignored.
    state_size, num_layers, bidirectional, mode, state_outputs
        As for RNN; all others are accepted and ignored.

    Returns
    -------
    output, state_output, statecell_ouput : float32 arrays as those of RNN
    """
    scale, shift = min_data, max_data
    values = (data.astype(np.float32) - shift) / scale
    network = RNNSizes(mode, state_size, num_layers, 2 if bidirectional else 1, None)
    rounded = rounded_weights(network, parameters, data.shape[2])
    outputs = rnn.kernel(
        values,
        rounded,
        state,
        state_cell,
        state_size=state_size,
        num_layers=num_layers,
        bidirectional=bidirectional,
        mode=mode,
        state_outputs=state_outputs,
        run=run,
    )
    return tuple(outputs[: 3 if state_outputs else 1])


def rounded_weights(network: RNNSizes, parameters: Array, features: int) -> Array:
    """The parameters, with the rows of each layer's matrices rounded to 255 levels."""
    rounded = parameters.copy()
    for weights in network.unpack(rounded, features):
        _round_rows([weights.inputs, weights.state])
    return rounded


def _round_rows(matrices: Sequence[Array]) -> None:
    """Round the rows of matrices side by side to multiples of 1/127 of their largest absolute value."""
    greatest = reduce(np.maximum, [np.abs(matrix).max(1, initial=0) for matrix in matrices])
    level = np.where(greatest > 0, greatest / np.float32(127), np.float32(1))[:, None]
    for matrix in matrices:
        matrix[:] = np.rint(matrix / level) * level


@quantized_rnn.infer_shape
def _(n: NodeView) -> None:
    n.min_data = n.max_data = (1,)
    network = RNNSizes(n.mode, n.state_size, n.num_layers, 2 if n.bidirectional else 1, None)
    parts = network.num_layers * network.directions
    n.data = (None, None, None)
    steps, batch, features = n.data
    states = (parts, batch, n.state_size)
    set_all(n, ("state", "state_cell", "state_output", "statecell_ouput"), states)
    n.output = (steps, batch, network.directions * n.state_size)
    if features is not None:
        n.parameters = (network.parameter_count(features),)


@quantized_rnn.infer_dtype
def _(n: NodeView) -> None:
    set_all(n, _FLOATS, FLOAT32)
    if n.data != UINT8:
        raise InferenceError(f"{title_of(n)}: data must be uint8, not {n.data.name}")
