"""The cells of `mx.rnn`: the graphs they unroll to, what these compute, their weights packed and unpacked."""

from __future__ import annotations

import functools
import itertools
import json
import warnings
from typing import Any

import numpy as np

STEPS = 2


def _stack(rnn: Any) -> Any:
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.LSTMCell(4, prefix="a_"))
    stack.add(rnn.DropoutCell(0.5))
    stack.add(rnn.ResidualCell(rnn.GRUCell(4, prefix="b_")))
    return stack


def _zoned_stack(rnn: Any) -> Any:
    stack = rnn.SequentialRNNCell()
    stack.add(rnn.ZoneoutCell(rnn.RNNCell(4), 0.25, 0.5))
    stack.add(rnn.LSTMCell(3))
    return stack


def _conv(kind: str, **settings: Any) -> Any:
    return lambda rnn: getattr(rnn, kind)((2, 3, 6, 5), 2, **settings)


def _fused(mode: str, **settings: Any) -> Any:
    return lambda rnn: rnn.FusedRNNCell(3, mode=mode, **settings)


def _unfused(mode: str, **settings: Any) -> Any:
    return lambda rnn: rnn.FusedRNNCell(3, mode=mode, **settings).unfuse()


def _shared(rnn: Any) -> Any:
    params = rnn.RNNParams("shared_")
    return rnn.BidirectionalCell(
        rnn.RNNCell(3, prefix="l_", params=params), rnn.RNNCell(3, prefix="r_", params=params)
    )


_SMALL = {"i2h_kernel": (2, 3), "i2h_stride": (2, 1), "i2h_pad": (0, 1), "i2h_dilate": (1, 2)}
CELLS: dict[str, Any] = {
    "RNNCell": lambda rnn: rnn.RNNCell(3),
    "RNNCell relu": lambda rnn: rnn.RNNCell(3, "relu", "p_"),
    "RNNCell function": lambda rnn: rnn.RNNCell(
        3, functools.partial(_mx(rnn).sym.LeakyReLU, act_type="leaky", slope=0.1)
    ),
    "LSTMCell": lambda rnn: rnn.LSTMCell(3),
    "LSTMCell forget": lambda rnn: rnn.LSTMCell(3, "p_", forget_bias=2.5),
    "GRUCell": lambda rnn: rnn.GRUCell(3),
    "stack": _stack,
    "zoned stack": _zoned_stack,
    "both": lambda rnn: rnn.BidirectionalCell(
        rnn.LSTMCell(3, "l_"), rnn.GRUCell(2, "r_"), output_prefix="both_"
    ),
    "both, one fused": lambda rnn: rnn.BidirectionalCell(
        rnn.FusedRNNCell(3, mode="gru"), rnn.RNNCell(2)
    ),
    "both, shared": _shared,
    "residual both": lambda rnn: rnn.ResidualCell(
        rnn.BidirectionalCell(rnn.GRUCell(2, "l_"), rnn.GRUCell(2, "r_"))
    ),
    "residual": lambda rnn: rnn.ResidualCell(rnn.LSTMCell(4)),
    "zoneout": lambda rnn: rnn.ZoneoutCell(rnn.LSTMCell(3), 0.5, 0.25),
    "zoneout of outputs": lambda rnn: rnn.ZoneoutCell(rnn.GRUCell(3), zoneout_outputs=0.5),
    "zoneout of states": lambda rnn: rnn.ZoneoutCell(rnn.GRUCell(3), zoneout_states=0.5),
    "zoneout of nothing": lambda rnn: rnn.ZoneoutCell(rnn.GRUCell(3)),
    "dropout": lambda rnn: rnn.DropoutCell(0.25),
    "dropout of nothing": lambda rnn: rnn.DropoutCell(0),
    "fused relu": _fused("rnn_relu"),
    "fused tanh": _fused("rnn_tanh", num_layers=2, get_next_state=True),
    "fused lstm": _fused("lstm", dropout=0.25, get_next_state=True, forget_bias=2.0),
    "fused gru": _fused("gru", get_next_state=True, prefix="p_"),
    "fused lstm deep": _fused("lstm", num_layers=2, bidirectional=True),
    "unfused relu": _unfused("rnn_relu", num_layers=2),
    "unfused lstm deep": _unfused("lstm", num_layers=2, bidirectional=True, dropout=0.5),
    "unfused gru": _unfused("gru", prefix="p_"),
    "ConvRNNCell": _conv("ConvRNNCell"),
    "ConvRNNCell others": _conv("ConvRNNCell", activation="tanh", prefix="p_", **_SMALL),
    "ConvLSTMCell": _conv("ConvLSTMCell"),
    "ConvLSTMCell others": _conv(
        "ConvLSTMCell", activation="softsign", h2h_kernel=(5, 3), h2h_dilate=(1, 2), **_SMALL
    ),
    "ConvGRUCell": _conv("ConvGRUCell"),
    "ConvGRUCell others": _conv(
        "ConvGRUCell", i2h_weight_initializer="ones", i2h_bias_initializer="ones", **_SMALL
    ),
    "ConvLSTMCell last": lambda rnn: rnn.ConvLSTMCell((2, 6, 5, 3), 2, conv_layout="NHWC"),
}
_UNCOMPUTED = ("ConvLSTMCell last",)
"""MXNet's CPU has no convolutions with channels last."""
_RANDOM = (
    *("stack", "zoned stack", "dropout", "fused lstm", "unfused lstm deep"),
    *("zoneout", "zoneout of outputs", "zoneout of states"),
)
_MODIFIED = (
    "stack",
    "zoned stack",
    "residual",
    "residual both",
    *(c for c in CELLS if "zone" in c),
)
"""There MXNet's `begin_state` takes no function by keyword."""
OPTIONS: dict[str, tuple[Any, ...]] = {
    "layout": ("NTC", "TNC"),
    "merge": (None, True, False),
    "listed": (False, True),
}
ALL_OPTIONS = [*itertools.product(*OPTIONS.values())]
FEW_OPTIONS = [("TNC", True, False), ("NTC", None, True)]
"""For cells that unroll as others do."""
UNROLLING = ("RNNCell", "stack", "both, one fused", "residual both", "dropout", "fused tanh")


def _mx(rnn: Any) -> Any:
    """The package that a module `rnn` is of."""
    import importlib

    return importlib.import_module(rnn.__name__.partition(".")[0])


def _unrolled(mx: Any, cell: Any, layout: str, merge: Any, listed: bool) -> Any:
    inputs = [mx.sym.Variable(f"t{i}") for i in range(STEPS)] if listed else mx.sym.Variable("data")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outputs, states = cell.unroll(STEPS, inputs, layout=layout, merge_outputs=merge)
    merged = isinstance(outputs, mx.sym.Symbol)
    return [outputs] if merged else list(outputs), list(_flat(states)), merged


def _flat(states: Any) -> Any:
    for state in states:
        if isinstance(state, list):
            yield from _flat(state)
        else:
            yield state


def graph(symbol: Any) -> list[str]:
    """Return the nodes of a symbol as its JSON has them, a line for each, and what it shows."""
    saved = json.loads(symbol.tojson())
    lines = []
    for node in saved["nodes"]:
        attributes = " ".join(f"{k}={v}" for k, v in sorted(node.get("attrs", {}).items()))
        inputs = " ".join(f"{source}.{output}" for source, output, _ in node["inputs"])
        lines.append(f"{node['op']} {node['name']} [{attributes}] <- {inputs}")
    heads = " ".join(f"{source}.{output}" for source, output, _ in saved["heads"])
    return [*lines, f"arguments {saved['arg_nodes']} heads {heads}"]


def run_graph(mx: Any, case: str, layout: str, merge: Any, listed: bool) -> dict[str, Any]:
    """Unroll a cell."""
    with mx.name.NameManager():
        cell = CELLS[case](mx.rnn)
        outputs, states, merged = _unrolled(mx, cell, layout, merge, listed)
    return {"graph": graph(mx.sym.Group([*outputs, *states])), "merged": merged}


def run_facts(mx: Any, case: str) -> dict[str, Any]:
    """Tell what a cell knows of itself, and what `begin_state` makes with another function."""
    with mx.name.NameManager():
        cell = CELLS[case](mx.rnn)
        begin = [] if case in _MODIFIED else cell.begin_state(func=mx.sym.Variable)
        return {
            "states": [dict(info) for info in cell.state_info],
            "shapes": cell.state_shape,
            "variables": sorted(cell.params._params),
            "begin": [[state.name, sorted(state.list_attr().items())] for state in _flat(begin)],
            "initializers": {
                name: variable.attr("__init__") or ""
                for name, variable in sorted(cell.params._params.items())
            },
        }


def _normal(*shape: int) -> Any:
    draw = np.random.RandomState(sum(shape)).randn(*shape).astype(np.float32)
    return np.round(0.5 * draw, 4)


def run_values(mx: Any, case: str, listed: bool) -> dict[str, Any]:
    """Compute outputs and gradients, without dropout; pack and unpack the weights."""
    with mx.name.NameManager():
        cell = CELLS[case](mx.rnn)
        outputs, states, _ = _unrolled(mx, cell, "TNC", True, listed)
    features = (3, 6, 5) if "Conv" in case else (4,)
    shapes = (
        {f"t{i}": (2, *features) for i in range(STEPS)}
        if listed
        else {"data": (STEPS, 2, *features)}
    )
    net = mx.sym.Group([*outputs, *states])
    arguments = {
        name: mx.nd.array(_normal(*shape))
        for name, shape in zip(net.list_arguments(), net.infer_shape(**shapes)[0])  # noqa: B905
    }
    train = case not in _RANDOM
    gradients = {name: mx.nd.zeros(value.shape) for name, value in arguments.items()}
    executor = net.bind(mx.cpu(), arguments, gradients if train else None)
    found = {"outputs": executor.forward(is_train=train)}
    if train:
        executor.backward([mx.nd.array(_normal(*output.shape)) for output in executor.outputs])
        found["gradients"] = {name: (g * g).sum() for name, g in gradients.items()}
    return found if "shared" in case else {**found, **_packed(cell, arguments, shapes)}


def _packed(cell: Any, arguments: dict[str, Any], inputs: Any) -> dict[str, Any]:
    """Unpack the weights and pack them again."""
    weights = {name: value for name, value in arguments.items() if name not in inputs}
    unpacked = cell.unpack_weights(weights)
    packed = cell.pack_weights(unpacked)
    return {
        "unpacked": {name: unpacked[name].sum() for name in sorted(unpacked)},
        "shapes": {name: list(unpacked[name].shape) for name in sorted(unpacked)},
        "packed again": {
            name: bool((packed[name].asnumpy() == weights[name].asnumpy()).all())
            for name in sorted(packed)
        },
    }


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    graphs = {
        f"graph {case} {' '.join(map(str, chosen))}": functools.partial(
            run_graph, mx, case, *chosen
        )
        for case in CELLS
        for chosen in (ALL_OPTIONS if case in UNROLLING else FEW_OPTIONS)
    }
    facts = {f"facts {case}": functools.partial(run_facts, mx, case) for case in CELLS}
    values = {
        f"values {case} {listed}": functools.partial(run_values, mx, case, listed)
        for case in CELLS
        if case not in _UNCOMPUTED
        for listed in (False, True)
    }
    return {**graphs, **facts, **values}
