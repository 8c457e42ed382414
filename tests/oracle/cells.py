"""Recurrent cells with all their options, unrolled: outputs, states, and gradients of everything."""

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


def _stack(rnn: Any) -> Any:
    stack = rnn.SequentialRNNCell(prefix="s_")
    with stack.name_scope():
        stack.add(rnn.LSTMCell(5))
        stack.add(rnn.DropoutCell(0.0))
        stack.add(rnn.ResidualCell(rnn.GRUCell(5)))
    return stack


def _hybrid_stack(rnn: Any) -> Any:
    stack = rnn.HybridSequentialRNNCell(prefix="s_")
    with stack.name_scope():
        stack.add(rnn.RNNCell(4))
        stack.add(rnn.ZoneoutCell(rnn.LSTMCell(3)))
    return stack


_MADE: dict[str, Any] = {
    **{
        f"RNNCell {name}": lambda rnn, contrib, name=name: rnn.RNNCell(3, activation=name)
        for name in ("tanh", "relu", "sigmoid", "softrelu", "softsign")
    },
    "LSTMCell": lambda rnn, contrib: rnn.LSTMCell(3),
    "LSTMCell others": lambda rnn, contrib: rnn.LSTMCell(
        3, activation="softsign", recurrent_activation="tanh"
    ),
    "GRUCell": lambda rnn, contrib: rnn.GRUCell(3),
    "LSTMPCell": lambda rnn, contrib: contrib.LSTMPCell(5, 3),
    "residual": lambda rnn, contrib: rnn.ResidualCell(rnn.LSTMCell(4)),
    "zoneout of nothing": lambda rnn, contrib: rnn.ZoneoutCell(rnn.GRUCell(4)),
    "dropout of nothing": lambda rnn, contrib: rnn.DropoutCell(0.0),
    "stack": lambda rnn, contrib: _stack(rnn),
    "hybrid stack": lambda rnn, contrib: _hybrid_stack(rnn),
    "both": lambda rnn, contrib: rnn.BidirectionalCell(rnn.LSTMCell(3), rnn.GRUCell(2)),
    "both residual": lambda rnn, contrib: rnn.BidirectionalCell(
        rnn.ResidualCell(rnn.RNNCell(4)), rnn.ResidualCell(rnn.GRUCell(4))
    ),
    "variational": lambda rnn, contrib: contrib.VariationalDropoutCell(rnn.LSTMCell(3)),
    "Conv1DLSTMCell": lambda rnn, contrib: contrib.Conv1DLSTMCell((4, 6), 2, 3, 3, i2h_pad=1),
    "Conv2DGRUCell": lambda rnn, contrib: contrib.Conv2DGRUCell((4, 5, 5), 2, 3, 3, i2h_pad=1),
    "Conv2DRNNCell": lambda rnn, contrib: contrib.Conv2DRNNCell((4, 5, 5), 2, 3, 3, i2h_pad=1),
}
_EXTENTS = {"Conv1DLSTMCell": (6,), "Conv2DGRUCell": (5, 5), "Conv2DRNNCell": (5, 5)}
_OPTIONS: dict[str, tuple[Any, ...]] = {
    "layout": ("NTC", "TNC"),
    "merge": (None, True, False),
    "lengths": (False, True),
    "states": (False, True),
    "listed": (False, True),
    "steps": (1, 4),
}
CASES = {
    f"{name} {' '.join(f'{k}={v}' for k, v in zip(_OPTIONS, chosen))}": (name, chosen)  # noqa: B905
    for name in _MADE
    for chosen in itertools.product(*_OPTIONS.values())
}
NAMES = list(CASES)


def run(
    mx: Any, name: str, folder: Path, hybridize: bool = False, dtype: str = "float32"
) -> dict[str, Any]:
    """Unroll a cell forward and backward."""
    kind, (layout, merge, lengths, states, listed, steps) = CASES[name]
    with mx.name.NameManager():
        cell = _MADE[kind](mx.gluon.rnn, mx.gluon.contrib.rnn)
    draw = np.random.RandomState(steps)
    shape = (steps, 2, 4) if layout == "TNC" else (2, steps, 4)
    x = mx.nd.array(draw.randn(*shape, *_EXTENTS.get(kind, ())), dtype=dtype)
    cell.initialize()
    cell.cast(dtype)
    cell.unroll(steps, x, layout=layout)  # gives all parameters their shapes
    cell.reset()
    set_parameters(cell, draw, dtype)
    given = drawn_states(mx, cell, draw, dtype)
    if hybridize:
        cell.hybridize()
    for array in (x, *given):
        array.attach_grad()
    options: dict[str, Any] = {"layout": layout, "merge_outputs": merge}
    if lengths:
        options["valid_length"] = mx.nd.array([steps, max(1, steps - 2)], dtype=dtype)
    if states:
        options["begin_state"] = given
    time = layout.find("T")
    with mx.autograd.record():
        inputs = (
            [x.take(mx.nd.array([i]), axis=time).squeeze(time) for i in range(steps)]
            if listed
            else x
        )
        outputs, last = cell.unroll(steps, inputs, **options)
        whole = outputs if isinstance(outputs, list) else [outputs]
        loss = total(whole, last)
    loss.backward()
    return {**forward_results(whole, last), **gradients(cell, x, given if states else [])}
