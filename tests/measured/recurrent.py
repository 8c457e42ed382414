"""Recurrent cells and layers: outputs, states, gradients, names and shapes of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np


def _normal(*shape: int) -> Any:
    return np.random.RandomState(sum(shape)).randn(*shape).astype(np.float32)


def _stack(rnn: Any) -> Any:
    stack = rnn.SequentialRNNCell(prefix="s_")
    with stack.name_scope():
        stack.add(rnn.LSTMCell(5))
        stack.add(rnn.DropoutCell(0.0))
        stack.add(rnn.GRUCell(3))
    return stack


def _both(rnn: Any) -> Any:
    return rnn.BidirectionalCell(rnn.LSTMCell(3, prefix="l_"), rnn.GRUCell(2, prefix="r_"))


CELLS: dict[str, Any] = {
    "rnn": lambda rnn: rnn.RNNCell(3, prefix="r_"),
    "rnn relu": lambda rnn: rnn.RNNCell(3, activation="relu", prefix="r_"),
    "lstm": lambda rnn: rnn.LSTMCell(3, prefix="l_"),
    "gru": lambda rnn: rnn.GRUCell(3, prefix="g_"),
    "stack": _stack,
    "both": _both,
    "residual": lambda rnn: rnn.ResidualCell(rnn.GRUCell(4, prefix="g_")),
    "zoneout of nothing": lambda rnn: rnn.ZoneoutCell(rnn.GRUCell(4, prefix="g_")),
}
UNROLLED: dict[str, Any] = {
    "": {},
    " merged": {"merge_outputs": True},
    " time first": {"layout": "TNC", "merge_outputs": True},
    " lengths": {"valid_length": np.array([2.0, 3.0]), "merge_outputs": True},
}
LAYERS: dict[str, Any] = {
    "RNN": ("RNN", {}),
    "RNN tanh": ("RNN", {"activation": "tanh", "layout": "NTC"}),
    "LSTM": ("LSTM", {}),
    "GRU": ("GRU", {}),
    "LSTM deep": ("LSTM", {"num_layers": 2, "bidirectional": True}),
    "GRU deep": ("GRU", {"num_layers": 2, "bidirectional": True, "layout": "NTC"}),
}


def set_parameters(block: Any) -> dict[str, Any]:
    """Give parameters known values; return shapes by name, and by name in files."""
    parameters = block.collect_params()
    for name in sorted(parameters.keys()):
        value = 0.3 * _normal(*parameters[name].shape)
        parameters[name].set_data(np.round(value, 4))
    by_structure = block._collect_params_with_prefix()
    return {
        "parameters": {name: list(p.shape) for name, p in parameters.items()},
        "files": {name: p.name for name, p in by_structure.items()},
    }


def gradients(block: Any) -> dict[str, Any]:
    """Return the gradients of all parameters."""
    return {name: p.grad() for name, p in block.collect_params().items()}


def run_cell(mx: Any, case: str, how: str, hybridize: bool = False) -> dict[str, Any]:
    """Unroll a cell over three steps."""
    cell, settings = CELLS[case](mx.gluon.rnn), dict(UNROLLED[how])
    x = mx.nd.array(_normal(*((3, 2, 4) if settings.get("layout") == "TNC" else (2, 3, 4))))
    if "valid_length" in settings:
        settings["valid_length"] = mx.nd.array(settings["valid_length"])
    cell.initialize()
    cell.unroll(3, x, **settings)
    found = {"repr": repr(cell), **set_parameters(cell)}
    if hybridize:
        cell.hybridize()
    x.attach_grad()
    with mx.autograd.record():
        outputs, states = cell.unroll(3, x, **settings)
        whole = outputs if isinstance(outputs, list) else [outputs]
        total = sum((one * one).sum() for one in whole)
    total.backward()
    found.update(outputs=outputs, states=states, gradient=x.grad)
    if how in ("", " lengths"):
        found["gradients"] = gradients(cell)
    return found


def run_layer(mx: Any, case: str, states: bool, hybridize: bool = False) -> dict[str, Any]:
    """Run a layer over three steps."""
    name, settings = LAYERS[case]
    layer = getattr(mx.gluon.rnn, name)(3, prefix="layer_", **settings)
    x = mx.nd.array(_normal(3, 2, 4))
    layer.initialize()
    layer(x)
    found = {"repr": repr(layer), **set_parameters(layer)}
    batch = 3 if settings.get("layout") == "NTC" else 2
    given = [mx.nd.array(_normal(*info["shape"])) for info in layer.state_info(batch)]
    if hybridize:
        layer.hybridize()
    x.attach_grad()
    with mx.autograd.record():
        result = layer(x, given) if states else layer(x)
        outputs = result[0] if states else result
        total = (outputs * outputs).sum()
    total.backward()
    found.update(result=result, gradient=x.grad, gradients=gradients(layer))
    return found


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    cells = {
        f"{case}{how}": lambda case=case, how=how: run_cell(mx, case, how)
        for case in CELLS
        for how in UNROLLED
    }
    layers = {
        f"{case}{' states' * states}": lambda case=case, states=states: run_layer(mx, case, states)
        for case in LAYERS
        for states in (False, True)
    }
    return {**cells, **layers}
