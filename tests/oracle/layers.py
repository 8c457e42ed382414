"""Recurrent layers with all their options: outputs, states, and gradients of everything.

On CPUs MXNet ignores lengths of sequences, or refuses them, and trains no projections; so lengths are not here
(cells have them), and projected layers only predict.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

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


def set_parameters(block: Any, draw: Any, dtype: str) -> None:
    """Give parameters numbers that are the same for both packages."""
    parameters = block.collect_params()
    for key in sorted(parameters.keys()):
        parameters[key].set_data(0.5 * draw.randn(*parameters[key].shape).astype(dtype))


def gradients(block: Any) -> dict[str, Any]:
    """The gradients of all parameters."""
    return {f"gradients/{key}": p.grad() for key, p in sorted(block.collect_params().items())}


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
    given = [
        mx.nd.array(0.5 * draw.randn(*info["shape"]), dtype=dtype) for info in layer.state_info(2)
    ]
    if hybridize:
        layer.hybridize()
    for array in (x, *given):
        array.attach_grad()
    projected = "projection_size" in settings
    with mx.autograd.record() if not projected else mx.autograd.pause():
        found = layer(x, given) if states else layer(x)
        outputs, last = found if states else (found, [])
        total = (outputs * outputs).sum()
        for state in last:
            total = total + (state * state * 0.5).sum()
    results = {"outputs": outputs, **{f"states/{i}": state for i, state in enumerate(last)}}
    if projected:
        return results
    total.backward()
    results.update(input=x.grad, **gradients(layer))
    if states:
        results.update({f"begin/{i}": state.grad for i, state in enumerate(given)})
    return results
