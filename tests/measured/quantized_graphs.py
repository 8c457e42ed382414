"""Graphs of small integers that MXNet makes, the values that they want to calibrate, and their parameters."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def _values(*shape: int) -> Any:
    return np.random.RandomState(sum(shape)).uniform(-2, 2, shape).astype(np.float32)


def _plain(mx: Any) -> Any:
    net = mx.sym.Convolution(mx.sym.var("data"), kernel=(3, 3), num_filter=4, name="conv")
    net = mx.sym.BatchNorm(net, fix_gamma=False, name="norm")
    net = mx.sym.Activation(net, act_type="relu", name="relu")
    net = mx.sym.Pooling(net, kernel=(2, 2), pool_type="avg", name="pool")
    net = mx.sym.FullyConnected(net, num_hidden=5, name="fc")
    return mx.sym.SoftmaxOutput(net, name="softmax")


def _residual(mx: Any) -> Any:
    data = mx.sym.var("data")
    left = mx.sym.Convolution(data, kernel=(1, 1), num_filter=3, no_bias=True, name="conv0")
    total = mx.sym.elemwise_add(left, data, name="sum")
    net = mx.sym.Activation(total, act_type="relu", name="relu")
    gate = mx.sym.Activation(total, act_type="sigmoid", name="gate")
    net = mx.sym.elemwise_mul(net, gate, name="mul")
    net = mx.sym.Concat(net, left, dim=1, name="joined")
    net = mx.sym.Flatten(net, name="flat")
    return mx.sym.FullyConnected(net, num_hidden=2, no_bias=True, name="fc")


def _parted(mx: Any) -> Any:
    parts = mx.sym.split(mx.sym.var("data"), num_outputs=2, name="split")
    heads = [
        mx.sym.Convolution(part, kernel=(1, 1), num_filter=2, name=f"conv{i}")
        for i, part in enumerate(parts)
    ]
    return mx.sym.Group([mx.sym.Concat(*heads, dim=0, name="joined"), parts[0]])


def _looked_up(mx: Any) -> Any:
    rows = mx.sym.Embedding(mx.sym.var("data"), input_dim=7, output_dim=4, name="table")
    return mx.sym.FullyConnected(rows, num_hidden=3, name="fc")


def _recurrent(mx: Any) -> Any:
    names = ("data", "rnn_parameters", "rnn_state", "rnn_state_cell")
    net = mx.sym.RNN(*map(mx.sym.var, names), mode="lstm", state_size=3, num_layers=1, name="rnn")
    return mx.sym.tanh(net, name="tanh")


NETS = {
    "plain": _plain,
    "residual": _residual,
    "parted": _parted,
    "looked up": _looked_up,
    "recurrent": _recurrent,
}
OPTIONS: dict[str, dict[str, Any]] = {
    "full": {"quantize_mode": "full"},
    "smart": {},
    "naturals": {"quantize_mode": "full", "quantized_dtype": "uint8"},
    "excluded": {
        "quantize_mode": "full",
        "excluded_symbols": ["conv0", "pool"],
        "excluded_operators": ["elemwise_mul"],
    },
}
RANGES = {
    "data": (-1.5, 2.0),
    "conv_output": (-3.0, 3.25),
    "norm_output": (-2.5, 1.0),
    "conv0_output": (0.0, 7.0),
    "sum_output": (-1.0, 1.0),
    "rnn_output": (-0.5, 0.75),
    "fc_output": (-9.0, 9.5),
}


def _read(symbol: Any) -> Any:
    """The nodes of a graph: operator, name, attributes, inputs."""
    graph = json.loads(symbol.tojson())
    nodes = graph["nodes"]
    return {
        "nodes": [
            [
                *(node["op"], node["name"], node.get("attrs", {})),
                [[nodes[i]["name"], port] for i, port, *_ in node["inputs"]],
            ]
            for node in nodes
        ],
        "heads": [[nodes[i]["name"], port] for i, port, *_ in graph["heads"]],
    }


def run(mx: Any, net: str, option: str) -> dict[str, Any]:
    """Quantize a graph and its parameters, and let it know ranges."""
    quantization = mx.contrib.quantization
    symbol = NETS[net](mx)
    names = [n for n in symbol.list_arguments() if n not in ("data", "softmax_label")]
    made, wanted = quantization._quantize_symbol(
        symbol, ctx=mx.cpu(), offline_params=names, **OPTIONS[option]
    )
    params = {name: mx.nd.array(_values(3, len(name))) for name in names}
    found = quantization._quantize_params(made, params, {})
    return {
        "graph": _read(made),
        "wanted": sorted(set(wanted)),
        "calibrated": _read(quantization._calibrate_quantized_sym(made, RANGES)),
        "parameters": found,
    }


CASES = [(net, option) for net in NETS for option in OPTIONS]


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {
        f"{net} {option}": lambda net=net, option=option: run(mx, net, option)
        for net, option in CASES
    }
