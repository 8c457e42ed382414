"""Batch normalization folded into the preceding layer, whose parameters change.

before   data, w, b → Convolution → BatchNorm gamma, beta, mean, var
after    data, w · s, (b - mean) · s + beta → Convolution          with s = gamma / sqrt(var + eps)
"""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic import ndarray as nd
from gluonic.contrib.quantization.layers import CHANNELS_FIRST
from gluonic.graph import Entry, Graph, Node
from gluonic.ndarray import NDArray

Parameters = dict[str, NDArray]


def fold_norms(graph: Graph, params: Mapping[str, NDArray]) -> tuple[Graph, Parameters]:
    """Return a graph in which batch normalizations are folded into layers where possible, and its parameters.

    Parameters
    ----------
    graph : a graph for inference
    params : its parameters and auxiliary states; normalizations with missing ones are not folded
    """
    changed = dict(params)

    def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
        layer = inputs[0].node if inputs else node
        if node.operator_name != "BatchNorm" or not _can_fold(graph, node, layer, changed):
            return None
        return [_folded(node, layer, changed).entry()] * node.output_count

    return graph.rewrite(replace), changed


def _can_fold(graph: Graph, norm: Node, layer: Node, params: Mapping[str, NDArray]) -> bool:
    """Whether a normalization reads only a layer that has no other reader."""
    application = layer.application
    if application is None or norm.inputs[0].node.operator_name != layer.operator_name:
        return False
    settings = application.settings
    if layer.operator_name == "Convolution":
        first = settings["layout"] in CHANNELS_FIRST
    elif layer.operator_name == "FullyConnected":
        first = settings["flatten"]
    else:
        return False
    alone = graph.reads.get(norm.inputs[0]) == 1 and norm.applied.settings["axis"] == 1
    shown = any(graph.reads.get(norm.entry(i)) for i in range(1, norm.output_count))
    names = [entry.node.name for entry in (*layer.inputs[1:], *norm.inputs[1:])]
    once = all(graph.reads[entry] == 1 for entry in norm.inputs[0].node.inputs[1:])
    return bool(first and alone and once and not shown and all(n in params for n in names))


def _folded(norm: Node, layer: Node, params: Parameters) -> Node:
    """The layer with the normalization in its parameters."""
    gamma, beta, mean, variance = (params[entry.node.name] for entry in norm.inputs[1:])
    settings = norm.applied.settings
    scale = (variance + settings["eps"]).rsqrt()
    if not settings["fix_gamma"]:
        scale = scale * gamma
    data, weight, *bias = layer.inputs
    rows = params[weight.node.name]
    params[weight.node.name] = rows * scale.reshape((-1, *[1] * (rows.ndim - 1)))
    if bias:
        added, before = bias[0].node, params[bias[0].node.name]
    else:
        added, before = Node(None, f"{layer.name}_bias"), nd.zeros_like(mean)
    params[added.name] = (before - mean) * scale + beta
    application = layer.applied.op.apply({**layer.applied.settings, "no_bias": False})
    made = layer.with_application(application, [data, weight, added.entry()])
    made.attributes = _with_bias(layer.attributes)
    return made


def _with_bias(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name != "no_bias"}
