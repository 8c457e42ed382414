"""Samples of recurrent networks. They can be differentiated once, as in MXNet."""

from typing import Any

import numpy as np

from gluonic.graph.ops.rnn_kernels import RNNSizes
from tests.graph.samples.sample import Sample, uniform

MODES = ("rnn_relu", "rnn_tanh", "lstm", "gru")


def network(
    mode: str,
    *,
    num_layers: int = 1,
    bidirectional: bool = False,
    projection_size: int | None = None,
    lengths: tuple[int, ...] | None = None,
    dtypes: tuple[str, ...] = ("float32",),
    **attributes: Any,
) -> Sample:
    """A network over 4 steps of 2 sequences of 3 features, with a state of 5 numbers."""
    shape = RNNSizes(mode, 5, num_layers, 2 if bidirectional else 1, projection_size)
    parts = num_layers * shape.directions
    inputs: list[Any] = [
        uniform(4, 2, 3),
        uniform(shape.parameter_count(3), seed=1, low=-0.6, high=0.6),
        uniform(parts, 2, shape.shown, seed=2),
    ]
    if mode == "lstm":
        inputs.append(uniform(parts, 2, 5, seed=3))
    if lengths is not None:
        inputs.append(np.array(lengths, np.int32))
        attributes["use_sequence_length"] = True
    settings = {
        "mode": mode,
        "state_size": 5,
        "num_layers": num_layers,
        "bidirectional": bidirectional,
        **attributes,
    }
    if projection_size is not None:
        settings["projection_size"] = projection_size
    return Sample(inputs, settings, dtypes=dtypes, orders=1)


SAMPLES = {
    "RNN": [
        *(network(mode, dtypes=("float32", "float16")) for mode in MODES),
        *(
            network(mode, num_layers=2, bidirectional=True, state_outputs=True, lengths=(4, 2))
            for mode in MODES
        ),
        *(network(mode, num_layers=3, state_outputs=True, p=0.5) for mode in MODES),
        network("lstm", num_layers=2, bidirectional=True, state_outputs=True, projection_size=4),
        network("lstm", projection_size=2, lengths=(3, 1), state_outputs=True),
    ]
}
