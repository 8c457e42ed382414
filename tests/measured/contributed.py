"""Recurrent cells that MXNet keeps apart: outputs, states, gradients, shapes of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np


def _normal(*shape: int) -> Any:
    return np.random.RandomState(sum(shape)).randn(*shape).astype(np.float32)


# name: class, arguments, settings, shape of an input
CASES: dict[str, Any] = {
    "conv 1 rnn": ("Conv1DRNNCell", [(2, 4), 2, 3, 3], {"i2h_pad": 1}, (2, 4)),
    "conv 1 gru": ("Conv1DGRUCell", [(2, 4), 2, 3, 3], {"i2h_pad": 1}, (2, 4)),
    "conv 2 rnn": ("Conv2DRNNCell", [(1, 3, 4), 2, 3, 3], {"i2h_pad": 1}, (1, 3, 4)),
    "conv 2 lstm": ("Conv2DLSTMCell", [(1, 3, 4), 2, 3, 3], {"i2h_pad": 1}, (1, 3, 4)),
    "conv 2 dilated": (
        "Conv2DGRUCell",
        [(1, 5, 6), 2, (3, 1), (1, 3)],
        {"i2h_dilate": 2, "h2h_dilate": 2},
        (1, 5, 6),
    ),
    "conv 3 gru": ("Conv3DGRUCell", [(1, 2, 3, 2), 2, 1, 3], {}, (1, 2, 3, 2)),
    "projected": ("LSTMPCell", [5, 3], {}, (4,)),
}


def set_parameters(cell: Any) -> None:
    """Give parameters known values."""
    parameters = cell.collect_params()
    for name in sorted(parameters.keys()):
        value = 0.3 * _normal(*parameters[name].shape)
        parameters[name].set_data(np.round(value, 4))


def run(mx: Any, case: str, hybridize: bool = False) -> dict[str, Any]:
    """Unroll a cell over three steps."""
    name, arguments, settings, shape = CASES[case]
    cell = getattr(mx.gluon.contrib.rnn, name)(*arguments, prefix="cell_", **settings)
    x = mx.nd.array(_normal(2, 3, *shape))
    cell.initialize()
    cell.unroll(3, x)
    set_parameters(cell)
    if hybridize:
        cell.hybridize()
    x.attach_grad()
    with mx.autograd.record():
        outputs, states = cell.unroll(3, x, merge_outputs=True)
        total = (outputs * outputs).sum()
    total.backward()
    parameters = cell.collect_params()
    return {
        "repr": repr(cell),
        "parameters": {key: list(p.shape) for key, p in parameters.items()},
        "outputs": outputs,
        "states": states,
        "gradient": x.grad,
    }


def unroll_as_loop(mx: Any, layout: str, lengths: Any) -> list[Any]:
    """Run `dynamic_unroll` on an LSTM cell."""
    cell = mx.gluon.rnn.LSTMCell(4, input_size=5, prefix="cell_")
    cell.initialize()
    set_parameters(cell)
    x = mx.nd.array(_normal(3, 2, 5))
    batch = 2 if layout == "TNC" else 3
    states = [mx.nd.array(_normal(batch, 4)) for _ in range(2)]
    valid = None if lengths is None else mx.nd.array(lengths)
    outputs, states = mx.gluon.contrib.rnn.rnn_cell.dynamic_unroll(
        cell, x, states, layout=layout, valid_length=valid
    )
    return [outputs, list(states)]


LOOPS: dict[str, Any] = {
    "loop": ("TNC", None),
    "loop time second": ("NTC", None),
    "loop lengths": ("TNC", [1, 3]),
}


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    cells = {case: lambda case=case: run(mx, case) for case in CASES}
    loops = {
        case: lambda settings=settings: unroll_as_loop(mx, *settings)
        for case, settings in LOOPS.items()
    }
    return {**cells, **loops}
