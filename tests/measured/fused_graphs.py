"""Graphs that MXNet's backends for oneDNN make, of float32 layers and after quantization."""

from __future__ import annotations

import json
from typing import Any

_ACTIVATIONS = ("relu", "sigmoid", "tanh", "softrelu", "softsign")
_LEAKY = ("leaky", "elu", "gelu", "selu")


def layer(mx: Any, word: str, data: Any, name: str) -> Any:
    """The layer that a word of a chain stands for."""
    sym = mx.sym
    if word in _ACTIVATIONS:
        return sym.Activation(data, act_type=word, name=name)
    if word in _LEAKY:
        return sym.LeakyReLU(data, act_type=word, name=name)
    makers = {
        "conv": lambda: sym.Convolution(data, kernel=(3, 3), num_filter=4, pad=(1, 1), name=name),
        "conv1d": lambda: sym.Convolution(data, kernel=(3,), num_filter=4, name=name),
        "bn": lambda: sym.BatchNorm(data, fix_gamma=False, name=name),
        "clip": lambda: sym.clip(data, 0, 6, name=name),
        "clip-below": lambda: sym.clip(data, -1, 6, name=name),
        "plus": lambda: sym.elemwise_add(data, sym.var(f"{name}_other"), name=name),
        "added": lambda: sym.elemwise_add(sym.var(f"{name}_other"), data, name=name),
        "fc": lambda: sym.FullyConnected(data, num_hidden=3, name=name),
        "rows": lambda: sym.FullyConnected(
            data, num_hidden=3, no_bias=True, flatten=False, name=name
        ),
        "drop": lambda: sym.Dropout(data, p=0.5, name=name),
        "drop-always": lambda: sym.Dropout(data, p=0.5, mode="always", name=name),
        "copy": lambda: sym.identity(data, name=name),
        "pool": lambda: sym.Pooling(data, kernel=(2, 2), pool_type="max", name=name),
    }
    return makers[word]() if word in makers else getattr(sym, word)(data, name=name)


def chain(mx: Any, words: str) -> Any:
    """Layers one after the other."""
    net = mx.sym.var("data")
    for number, word in enumerate(words.split()):
        net = layer(mx, word, net, f"{word}{number}")
    return net


def residual(mx: Any, blocks: int = 2) -> Any:
    """A residual net; the first block has a convolution in its short cut."""
    sym = mx.sym

    def normalized(data: Any, size: int, name: str) -> Any:
        pad = (size // 2, size // 2)
        options = {"num_filter": 4, "pad": pad, "no_bias": True, "name": name}
        layer = sym.Convolution(data, kernel=(size, size), **options)
        return sym.BatchNorm(layer, fix_gamma=False, name=f"{name}_norm")

    net = sym.Activation(normalized(sym.var("data"), 3, "first"), act_type="relu", name="relu")
    for number in range(blocks):
        name = f"block{number}"
        inner = sym.Activation(
            normalized(net, 3, f"{name}_one"), act_type="relu", name=f"{name}_relu1"
        )
        inner = normalized(inner, 3, f"{name}_two")
        short = net if number else normalized(net, 1, f"{name}_short")
        total = inner + short if number else short + inner
        net = sym.Activation(total, act_type="relu", name=f"{name}_relu2")
    net = sym.Pooling(net, global_pool=True, kernel=(1, 1), pool_type="avg", name="pool")
    net = sym.Flatten(sym.Dropout(net, p=0.3, name="drop"), name="flat")
    return sym.FullyConnected(net, num_hidden=5, name="head")


def _branched(mx: Any) -> Any:
    net = mx.sym.Convolution(mx.sym.var("data"), kernel=(1, 1), num_filter=4, name="conv")
    return mx.sym.relu(net, name="one") * mx.sym.Activation(net, act_type="relu", name="other")


def _added_to_data(mx: Any, first: bool) -> Any:
    data = mx.sym.Activation(mx.sym.var("data"), act_type="relu", name="relu")
    net = mx.sym.Convolution(data, kernel=(1, 1), num_filter=4, name="conv")
    return data + net if first else net + data


def _inception(mx: Any) -> Any:
    sym = mx.sym

    def filtered(data: Any, name: str, size: int = 1) -> Any:
        pad = (size // 2, size // 2)
        return sym.Convolution(data, kernel=(size, size), pad=pad, num_filter=2, name=name)

    def pool(data: Any, name: str, kind: str = "max") -> Any:
        return sym.Pooling(data, kernel=(3, 3), pad=(1, 1), pool_type=kind, name=name)

    data = sym.var("data")
    deeper = filtered(filtered(data, "b1"), "b2", 3)
    parts = [filtered(data, "a"), deeper, filtered(pool(data, "p"), "c")]
    net = pool(sym.concat(*parts, dim=1, name="joined"), "stage")
    net = sym.concat(filtered(net, "d"), pool(net, "e", "avg"), dim=1, name="again")
    return sym.FullyConnected(net, num_hidden=3, name="fc")


def attention(mx: Any) -> Any:
    """Attention of two heads, and a projection."""
    data, contrib = mx.sym.var("data"), mx.sym.contrib
    scores = contrib.interleaved_matmul_selfatt_qk(data, heads=2, name="scores")
    weights = mx.sym.softmax(scores, axis=-1, name="weights")
    net = contrib.interleaved_matmul_selfatt_valatt(data, weights, heads=2, name="values")
    return mx.sym.FullyConnected(net, num_hidden=3, flatten=False, name="fc")


def _gated(mx: Any) -> Any:
    one, other = (
        mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=4, name=name) for name in ("a", "b")
    )
    net = mx.sym.elemwise_mul(one, other, name="product") + one
    return mx.sym.FullyConnected(net, num_hidden=2, name="fc")


NETS: dict[str, Any] = {
    "residual": residual,
    "branched": _branched,
    "data + conv": lambda mx: _added_to_data(mx, first=True),
    "conv + data": lambda mx: _added_to_data(mx, first=False),
    "inception": _inception,
    "attention": attention,
    "gated": _gated,
    "pooled": lambda mx: chain(mx, "conv pool conv relu fc relu fc"),
}
CHAINS = (
    "conv",
    "conv bn",
    "conv bn relu",
    "conv bn plus",
    "conv bn added relu",
    "conv plus relu",
    "conv plus clip",
    "conv clip",
    "conv clip-below",
    "conv relu plus",
    *(f"conv {word}" for word in (*_ACTIVATIONS, *_LEAKY)),
    "conv bn bn relu",
    "conv added bn",
    "conv plus added",
    "conv bn drop relu",
    "drop conv",
    "conv drop drop relu",
    "conv drop-always relu",
    "conv copy relu",
    "conv1d relu",
    "fc",
    *(f"fc {word}" for word in (*_ACTIVATIONS, *_LEAKY, "square", "sqrt", "exp", "abs", "log")),
    "fc clip",
    "fc clip-below",
    "fc relu relu",
    "fc plus relu",
    "rows tanh",
)
BACKENDS = ("MKLDNN", "MKLDNN_QUANTIZE")
OPTIONS: dict[str, dict[str, Any]] = {
    "full": {"quantize_mode": "full", "quantized_dtype": "auto"},
    "without ranges": {"quantize_mode": "full"},
    "smart": {"quantize_mode": "smart", "quantized_dtype": "int8"},
    "naturals": {"quantize_mode": "full", "quantized_dtype": "uint8"},
    "by channel": {"quantize_mode": "full", "quantize_granularity": "channel-wise"},
    "excluded": {
        "quantize_mode": "full",
        "excluded_symbols": ["block0_one", "head", "a"],
        "excluded_operators": ["Pooling"],
    },
}


def nodes(document: dict[str, Any]) -> list[Any]:
    """The nodes of a graph: operator, name, attributes, inputs, and the nodes of the graphs that they hold."""
    return [
        [
            *(node["op"], node["name"], node.get("attrs", {}), node["inputs"]),
            *([nodes(held) for held in node["subgraphs"]] if "subgraphs" in node else []),
        ]
        for node in document["nodes"]
    ]


def read(symbol: Any) -> Any:
    """The nodes and the outputs of a symbol."""
    document = json.loads(symbol.tojson())
    return {"nodes": nodes(document), "heads": document["heads"]}


def ranges(names: list[str]) -> dict[str, tuple[float, float]]:
    """A range for each value to calibrate, some of which are never negative."""
    return {
        name: (0.0, 1.5 + number) if number % 3 else (-1.25 - number, 2.5 + number)
        for number, name in enumerate(sorted(set(names)))
    }


def quantized(mx: Any, net: str, option: str) -> dict[str, Any]:
    """The graph of a quantized net, and the values that it wants to calibrate."""
    quantization = mx.contrib.quantization
    symbol = NETS[net](mx)
    params = [name for name in symbol.list_arguments() if name.endswith(("weight", "bias"))]
    fused = symbol.get_backend_symbol("MKLDNN_QUANTIZE")
    made, wanted = quantization._quantize_symbol(
        fused, ctx=mx.cpu(), offline_params=params, **OPTIONS[option]
    )
    if option != "without ranges":
        made = quantization._calibrate_quantized_sym(made, ranges(wanted))
    return {
        "wanted": sorted(set(wanted)),
        "graph": read(made.get_backend_symbol("MKLDNN_QUANTIZE")),
    }


CASES = [(net, option) for net in NETS for option in OPTIONS]


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {
        **{
            f"{words}: {backend}": lambda words=words, backend=backend: read(
                chain(mx, words).get_backend_symbol(backend)
            )
            for words in CHAINS
            for backend in BACKENDS
        },
        **{
            f"{net} {option}": lambda net=net, option=option: quantized(mx, net, option)
            for net, option in CASES
        },
    }
