"""Recurrent layers with all their options: outputs, states, and gradients of everything.

On CPUs MXNet ignores lengths of sequences, or refuses them, and trains no projections; so lengths are not here
(cells have them), and projected layers only predict.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from tests.oracle.blocks import (
    drawn_states,
    forward_results,
    gradients,
    set_parameters,
    total,
)

_LAYERS: dict[str, tuple[str, dict[str, Any]]] = {
    "RNN relu": ("RNN", {"activation": "relu"}),
    "RNN tanh": ("RNN", {"activation": "tanh"}),
    "LSTM": ("LSTM", {}),
    "LSTM projected": ("LSTM", {"projection_size": 2}),
    "GRU": ("GRU", {}),
}
_OPTIONS: dict[str, tuple[Any, ...]] = {
    "num_layers": (1, 2, 3),
    "bidirectional": (False, True),
    "layout": ("TNC", "NTC"),
    "states": (False, True),
    "steps": (1, 5),
}
CASES = {
    f"{name} {' '.join(f'{k}={v}' for k, v in zip(_OPTIONS, chosen))}": (name, chosen)  # noqa: B905
    for name in _LAYERS
    for chosen in itertools.product(*_OPTIONS.values())
}
NAMES = list(CASES)


def run(
    mx: Any, name: str, folder: Path, hybridize: bool = False, dtype: str = "float32"
) -> dict[str, Any]:
    """Run a layer forward and backward."""
    kind, (num_layers, bidirectional, layout, states, steps) = CASES[name]
    class_name, settings = _LAYERS[kind]
    layer = getattr(mx.gluon.rnn, class_name)(
        3, num_layers, layout=layout, bidirectional=bidirectional, input_size=4, prefix="layer_",
        **settings,
    )  # fmt: skip
    layer.initialize()
    layer.cast(dtype)
    draw = np.random.RandomState(num_layers)
    set_parameters(layer, draw, dtype)
    shape = (steps, 2, 4) if layout == "TNC" else (2, steps, 4)
    x = mx.nd.array(draw.randn(*shape), dtype=dtype)
    given = drawn_states(mx, layer, draw, dtype)
    if hybridize:
        layer.hybridize()
    for array in (x, *given):
        array.attach_grad()
    projected = "projection_size" in settings
    with mx.autograd.record() if not projected else mx.autograd.pause():
        found = layer(x, given) if states else layer(x)
        output, last = found if states else (found, [])
        loss = total([output], last)
    results = forward_results([output], last)
    if not projected:
        loss.backward()
        results.update(gradients(layer, x, given if states else []))
    return results
