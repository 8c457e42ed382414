"""``contrib.amp``: where casts are put into graphs, and what parameters are cast to."""

from __future__ import annotations

import importlib
import json
from typing import Any


def _convolutions(mx: Any) -> Any:
    data = mx.sym.var("data")
    first = mx.sym.Convolution(data, kernel=(3, 3), num_filter=4, name="c1")
    relu = mx.sym.Activation(mx.sym.BatchNorm(first, name="bn"), act_type="relu", name="relu")
    second = mx.sym.Convolution(relu, kernel=(3, 3), num_filter=4, pad=(1, 1), name="c2")
    dense = mx.sym.FullyConnected(second + relu, num_hidden=3, name="fc")
    return mx.sym.SoftmaxOutput(dense, name="softmax")


def _parts(mx: Any) -> Any:
    data = mx.sym.var("data")
    a, b = mx.sym.split(
        mx.sym.FullyConnected(data, num_hidden=4, name="f1"), num_outputs=2, name="sp"
    )
    return mx.sym.Group([
        mx.sym.concat(a, b, data, dim=1, name="cat"),
        mx.sym.broadcast_add(a, b, name="add"),
        mx.sym.softmax(a, name="sm"),
        mx.sym.FullyConnected(mx.sym.exp(b, name="e"), num_hidden=3, name="f2"),
        a,
    ])  # fmt: skip


def _shared(mx: Any) -> Any:
    x, y = mx.sym.var("x"), mx.sym.var("y")
    product = mx.sym.FullyConnected(x, y, num_hidden=10, no_bias=True, name="fc")
    return product + mx.sym.sin(y, name="sine")


def _activations(mx: Any) -> Any:
    x = mx.sym.FullyConnected(mx.sym.var("x"), num_hidden=4, name="f1")
    soft = mx.sym.Activation(x, act_type="softrelu", name="soft")
    leaky = mx.sym.LeakyReLU(x, act_type="elu", name="elu")
    plain = mx.sym.LeakyReLU(x, act_type="leaky", name="leaky")
    return mx.sym.add_n(soft, leaky, plain, name="all")


def _recurrent(mx: Any) -> Any:
    x, weights = mx.sym.var("data"), mx.sym.var("weights")
    states = [mx.sym.var("h"), mx.sym.var("c")]
    sizes = {"state_size": 4, "num_layers": 2, "mode": "lstm", "state_outputs": True}
    out = mx.sym.RNN(x, weights, *states, name="rnn", **sizes)
    return mx.sym.Group(
        [mx.sym.FullyConnected(out[0], num_hidden=3, flatten=False, name="fc"), out[1]]
    )


def _zoo(mx: Any, name: str) -> Any:
    net = getattr(mx.gluon.model_zoo.vision, name)(prefix="net_", classes=10)
    return net(mx.sym.var("data"))


def _attention(mx: Any) -> Any:
    x, mask = mx.sym.var("x"), mx.sym.var("mask", dtype="float32")
    q, k, v = (mx.sym.FullyConnected(x, num_hidden=8, flatten=False, name=n) for n in "qkv")
    scores = mx.sym.batch_dot(q, k, transpose_b=True, name="scores") / 2.0
    weights = mx.sym.softmax(mx.sym.broadcast_add(scores, mask, name="masked"), name="weights")
    mixed = mx.sym.batch_dot(mx.sym.Dropout(weights, p=0.1, name="drop"), v, name="mixed")
    normed = mx.sym.LayerNorm(mx.sym.transpose(mixed, axes=(0, 2, 1), name="turned"), name="norm")
    return mx.sym.FullyConnected(normed, num_hidden=3, flatten=False, name="out")


def _embedding(mx: Any) -> Any:
    words = mx.sym.Embedding(mx.sym.var("words"), input_dim=9, output_dim=4, name="embed")
    pooled = mx.sym.mean(words, axis=1, name="mean")
    hidden = mx.sym.FullyConnected(pooled, num_hidden=4, name="hidden")
    gate = mx.sym.sigmoid(hidden, name="gate")
    return mx.sym.FullyConnected(hidden * gate, num_hidden=2, name="out")


def _typed(mx: Any) -> Any:
    a, b, c = (mx.sym.var(n, dtype=d) for n, d in (("a", "float32"), ("b", "float16"), ("c", None)))
    cast = mx.sym.amp_cast(c, dtype="float16", name="low")
    return mx.sym.Group([*mx.sym.amp_multicast(a, b, num_outputs=2, name="both"), cast])


NETS: dict[str, Any] = {
    "convolutions": _convolutions,
    "parts": _parts,
    "shared": _shared,
    "activations": _activations,
    "recurrent": _recurrent,
    "attention": _attention,
    "embedding": _embedding,
    "typed": _typed,
    "resnet": lambda mx: _zoo(mx, "resnet18_v1"),
    "mobilenet": lambda mx: _zoo(mx, "mobilenet_v2_0_25"),
}
_DATA: dict[str, Any] = {"data_names": ["data"]}
WAYS: dict[str, Any] = {
    "plain": {},
    "data": _DATA,
    "cast parameters": {**_DATA, "cast_optional_params": True},
    "chosen": {
        "target_dtype_ops": ["FullyConnected"],
        "fp32_ops": ["exp", "sin", "softmax", "SoftmaxOutput", "LayerNorm"],
        "conditional_fp32_ops": [("Activation", "act_type", ["relu"])],
    },
    "nothing": {"target_dtype_ops": [], "fp32_ops": [], "conditional_fp32_ops": []},
    "excluded": {"excluded_sym_names": ["fc", "f1", "c2", "q", "hidden", "bn"]},
}
_LARGE = {"resnet", "mobilenet"}
CASES = {
    f"{net} {way}": (net, way)
    for net in NETS
    for way in WAYS
    if way in ("data", "cast parameters") or net not in _LARGE
}
del CASES["shared plain"]  # MXNet finds that its dtypes contradict each other


def summary(mx: Any, case: str) -> list[str]:
    """Return a line for each node of a converted net."""
    net, way = CASES[case]
    settings = dict(WAYS[way])
    found = NETS[net](mx)
    if "data_names" in settings:
        settings["data_names"] = [
            n for n in ("data", "x", "words", "c") if n in found.list_inputs()
        ]
    amp = importlib.import_module(f"{mx.__name__}.contrib.amp")
    graph = json.loads(amp.convert_symbol(found, **settings).tojson(remove_amp_cast=False))
    lines = []
    for node in graph["nodes"]:
        inputs = " ".join(f"{number}.{output}" for number, output, _ in node["inputs"])
        attributes = node.get("attrs", {})
        kept = {k: attributes[k] for k in ("__dtype__", "dtype", "num_outputs") if k in attributes}
        lines.append(f"{node['op']} {node['name']} {inputs} {json.dumps(kept)}")
    return [*lines, json.dumps(graph["heads"])]


def cases(mx: Any) -> dict[str, Any]:
    """Return what to measure."""
    return {case: lambda case=case: summary(mx, case) for case in CASES}
