"""A pass that computes in float32 what steps compute of float16, as the interpreter does.

Convolution(x, w)  →  Cast(Convolution(Cast(x, float32), Cast(w, float32)), float16)
"""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from gluonic.codegen.images import TRANSPOSED, WINDOWED
from gluonic.codegen.machine.values import Dtype
from gluonic.codegen.products.product import PRODUCTS
from gluonic.graph.builder import F
from gluonic.graph.node import Entry, Graph, Node
from gluonic.graph.origin import give_origin

_HALF, _SINGLE = np.dtype(np.float16), "float32"
_LOWEST = float(np.finfo(_HALF).min)
_WIDENED = {
    *(*WINDOWED, *TRANSPOSED, *PRODUCTS),
    *("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm"),
    *("RNN", "_keyed_RNN", "_backward_RNN", "CTCLoss"),
}
"""The operators that are no loops, or are made of sums that float16 is too coarse for."""


def widening_key(graph: Graph, dtypes: Mapping[Entry, Dtype]) -> Hashable:
    """Which inputs and outputs of operators the pass converts; nothing if there is nothing to do."""
    return tuple(
        (number, *(dtypes[entry] == _HALF for entry in (*node.inputs, node.entry())))
        for number, node in enumerate(graph.nodes)
        if _is_widened(node, dtypes)
    )


def widened(graph: Graph, dtypes: Mapping[Entry, Dtype]) -> Graph:
    """The graph with such operators between conversions."""

    def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
        if not _is_widened(node, dtypes):
            return None
        pairs = zip(node.inputs, inputs, strict=True)
        wide = [F.Cast(e, dtype=_SINGLE) if dtypes[old] == _HALF else e for old, e in pairs]
        made = node.with_inputs(wide)
        entries = [made.entry(i) for i in range(node.output_count)]
        if _takes_largest(node):  # of a window without numbers that is float32's lowest
            entries = [F._maximum_scalar(entries[0], scalar=_LOWEST)]
        found = [
            F.Cast(entry, dtype=_HALF.name) if dtypes[node.entry(i)] == _HALF else entry
            for i, entry in enumerate(entries)
        ]
        give_origin([*found, *wide], node)
        return found

    return graph.rewrite(replace)


def _is_widened(node: Node, dtypes: Mapping[Entry, Dtype]) -> bool:
    return node.operator_name in _WIDENED and dtypes[node.entry()] == _HALF


def _takes_largest(node: Node) -> bool:
    if node.operator_name != "Pooling" or node.application is None:
        return False
    return bool(node.application.settings["pool_type"] == "max")
