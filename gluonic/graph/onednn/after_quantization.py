"""Merging the roundings of a quantized graph into the layers before them, and the ranges of joined arrays.

before   quantized layer → _contrib_requantize, with a known range → _contrib_dequantize → softmax
after    quantized layer with that range → …      or: quantized layer that returns float32 → softmax
"""

from collections.abc import Mapping, Sequence

import numpy as np

from gluonic.graph.groups import Partition
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.onednn.fusion import Chain, chains, is_disabled

ENDS = ("min_calib_range", "max_calib_range")
_ROUNDING, _FLOATING = "_contrib_requantize", "_contrib_dequantize"
_CONCAT, _POOLING = "_contrib_quantized_concat", "_contrib_quantized_pooling"
# The operators whose results are rounded within a known range; those in the second table, by the environment
# variables that turn it off, may return float32 instead.
_ROUNDED = ("_sg_mkldnn_conv", "_contrib_quantized_elemwise_add")
_FLOATED = {
    "_sg_mkldnn_selfatt_qk": "QTRANSFORMER",
    "_sg_mkldnn_selfatt_valatt": "QTRANSFORMER",
    "_sg_mkldnn_fully_connected": "QFC",
    "_contrib_quantized_elemwise_mul": "QEM",
}


def _is_quantized(node: Node) -> bool:
    return bool(node.applied.settings.get("quantized", True))


def _has_range(node: Node) -> bool:
    settings = {} if node.application is None else node.application.settings
    return all(settings.get(end) is not None for end in ENDS)


def with_attributes(node: Node, attributes: Mapping[str, str]) -> Node:
    """Return a node with further attributes, in its settings and as a user sees them."""
    application = node.applied.op.apply({**node.applied.settings, **attributes})
    made = node.with_application(application, node.inputs)
    made.attributes = {**node.attributes, **attributes}
    return made


def range_texts(low: float, high: float) -> dict[str, str]:
    """A range as attributes, in MXNet's format.

    >>> range_texts(-1, 2.5)
    {'min_calib_range': '-1.000000', 'max_calib_range': '2.500000'}
    """
    return {end: f"{np.float32(value):f}" for end, value in zip(ENDS, (low, high), strict=True)}


def merge_roundings(graph: Graph) -> Graph:
    """Return a graph in which layers round their results themselves, or return float32."""

    def begins(node: Node) -> bool:
        switch = _FLOATED.get(node.operator_name)
        is_free = switch is not None and not is_disabled(f"{switch}_FUSE_ALL")
        return (is_free or node.operator_name in _ROUNDED) and _is_quantized(node)

    def goes_on(chain: Chain, node: Node) -> bool:
        if len(chain) == 1:
            return node.operator_name == _ROUNDING and _has_range(node)
        switch = _FLOATED.get(chain[0].operator_name)
        is_float = len(chain) == 2 and node.operator_name == _FLOATING and switch is not None
        return is_float and not is_disabled(f"{switch}_FLOAT_OUTPUT")

    merged = {chain[-1]: chain for chain in chains(graph, begins, goes_on) if len(chain) > 1}

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        chain = merged.get(node)
        if chain is None:
            return None
        layer = inputs[0].node
        if len(chain) == 2:
            settings = node.applied.settings
            return with_attributes(layer, range_texts(*(settings[end] for end in ENDS)))
        return with_attributes(layer.inputs[0].node, {"enable_float_output": "True"})

    return graph.rewrite(replace)


class _Joined:
    """Chooses the nodes whose results come together in a concatenation, directly or through pooling.

    Attributes
    ----------
    groups : groups of nodes with known ranges
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.groups: list[list[Node]] = []
        self._taken: set[Node] = set()

    def select(self, node: Node) -> bool:
        """Whether a group may begin with a node: a concatenation."""
        if node.operator_name != _CONCAT:
            return False
        self._first = node
        self.reset()
        return True

    def reset(self) -> None:
        """Forget all nodes but the first."""
        self._passing = {self._first}
        self._ranged: list[Node] = []

    def select_input(self, node: Node, producer: Node) -> bool:
        """Whether a node that is read belongs to the group: nobody else may read it."""
        readers = self.graph.consumers[producer]
        if node not in self._passing or producer in self._taken:
            return False
        if not self._passing.issuperset(readers):
            return False
        if _has_range(producer):
            self._ranged.append(producer)
            return True
        return self._passes(producer)

    def select_output(self, node: Node, reader: Node) -> bool:
        """Whether a node that reads belongs to the group."""
        is_alone = len(self.graph.consumers[self._first]) <= 1
        return is_alone and node in self._passing and self._passes(reader)

    def _passes(self, node: Node) -> bool:
        if node.operator_name not in (_CONCAT, _POOLING):
            return False
        self._passing.add(node)
        return True

    def filter(self, candidates: Sequence[Node]) -> list[Node]:
        """Keep the group's nodes with ranges; no node is replaced by another."""
        if len(self._ranged) > 1:
            self.groups.append(self._ranged)
            self._taken.update(self._ranged)
        return []


def align_ranges(graph: Graph) -> Graph:
    """Return a graph in which results that are joined have one range, so that joining rounds nothing."""
    chooser = _Joined(graph)
    Partition(graph, chooser)
    ranges: dict[Node, dict[str, str]] = {}
    for group in chooser.groups:
        lows, highs = ([float(node.applied.settings[end]) for node in group] for end in ENDS)
        ranges.update(dict.fromkeys(group, range_texts(min(0.0, *lows), max(0.0, *highs))))

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        if node not in ranges:
            return None
        return with_attributes(node.with_inputs(inputs), ranges[node])

    return graph.rewrite(replace)
