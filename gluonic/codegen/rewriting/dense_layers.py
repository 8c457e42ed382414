"""Passes on dense layers: fused activations, and weights packed once for several layers."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from gluonic.codegen.loops.semantics import function_of
from gluonic.codegen.machine.target import Target, host
from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.matmul.epilogues import Extended
from gluonic.codegen.matmul.packing import is_packed_in_panels, packed_bytes
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.graph import Application, Array, Entry, Graph, Node, Operator
from gluonic.graph.origin import give_origin
from gluonic.graph.view import NodeView

_MOST_STEPS = 8


def has_function(application: Application) -> bool:
    """Whether an operator is a function of each element alone, with machine code."""
    return function_of(application) is not None


class FuseActivations(Pass):
    """Element-wise functions that are the only readers of dense layers are fused into them.

    Parameters
    ----------
    takes : which functions may be fused; by default, all that have machine code

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> x, w = Node(None, "x").entry(), Node(None, "w").entry()
    >>> y = F.relu(F.FullyConnected(x, w, num_hidden=3, no_bias=True))
    >>> print(FuseActivations().shown(y, x=(2, 5), w=(3, 5)))
    fullyconnected = FullyConnected(x, w, num_hidden=3, no_bias=True)
    relu = relu(fullyconnected)
    return relu
    --------------------
    relu = _extended(x, w, num_hidden=3, no_bias=True, flatten=True, then="[('relu', [])]",
        is_packed=False)
    return relu
    """

    name = "fuse activations"
    contract = "no dense layer of float32 is read by a function of each element alone"

    def __init__(self, takes: Callable[[Application], bool] = has_function) -> None:
        self._takes = takes

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Fuse such functions into the layers."""
        return fold_activations(graph, context.facts(graph).dtypes, self._takes)


class PackWeights(Pass):
    """Weights that several dense layers read, or that rarely change, are packed separately.

    Examples
    --------
    >>> from gluonic.graph.builder import F
    >>> x, w = Node(None, "x").entry(), Node(None, "w").entry()
    >>> y = F.FullyConnected(x, w, num_hidden=300, no_bias=True)
    >>> z = F.FullyConnected(y, w, num_hidden=300, no_bias=True)
    >>> print(PackWeights().shown(z, x=(2, 300), w=(300, 300)))
    fullyconnected = FullyConnected(x, w, num_hidden=300, no_bias=True)
    fullyconnected.1 = FullyConnected(fullyconnected, w, num_hidden=300, no_bias=True)
    return fullyconnected.1
    --------------------
    packed = _packed(w)
    fullyconnected = _extended(x, w, packed, num_hidden=300, no_bias=True, flatten=True, then='[]',
        is_packed=True)
    fullyconnected.1 = _extended(fullyconnected, w, packed, num_hidden=300, no_bias=True,
        flatten=True, then='[]', is_packed=True)
    return fullyconnected.1
    """

    name = "pack weights"
    contract = "a weight is packed at most once per call, or once until it changes"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Pack the weights."""
        return share_packing(graph, context)


def _packed(weight: Array) -> Any:
    """A weight in the order in which products read it, a layout that only machine code understands."""
    raise AssertionError("packing is for machine code")


def _packed_dtype(n: NodeView) -> None:
    n.output = np.dtype(np.uint8)


@cache
def _packer(target: Target) -> Operator:
    """The operator that packs a weight for a processor: its output's size depends on that."""

    def packed_shape(n: NodeView) -> None:
        n.output = (packed_bytes(n.weight, target),)

    return Operator("_packed", _packed, shape=packed_shape, dtype=_packed_dtype)


def share_packing(graph: Graph, context: PassContext) -> Graph:
    """Pack a weight separately from the layers if several read it, or if it rarely changes."""
    facts = context.facts(graph)
    layers = [n for n in graph.nodes if n.application and Extended.of(n.application)]
    counts = Counter(n.inputs[1] for n in layers if facts.dtypes[n.inputs[0]] == np.float32)
    shared = {
        entry
        for entry, count in counts.items()
        if (count > 1 or entry.node in context.parameters)
        and is_packed_in_panels(facts.shapes[entry])
    }
    packed: dict[Entry, Entry] = {}

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        layer = Extended.of(node.application) if node.application is not None else None
        if layer is None or node.inputs[1] not in shared:
            return None
        weight = inputs[1]
        if weight not in packed:
            packed[weight] = Node(_packer(host()).apply({}), "packed", [weight]).entry()
            give_origin([packed[weight]], node)
        made = Extended(layer.dense, layer.then, is_packed=True)
        entries = [*inputs, packed[weight]]
        return node.with_application(made, entries)

    return graph.rewrite(replace) if shared else graph


def fold_activations(
    graph: Graph,
    dtypes: Mapping[Entry, Dtype],
    takes: Callable[[Application], bool],
) -> Graph:
    """Fuse element-wise functions into dense layers, if they are the only readers."""

    def replace(node: Node, inputs: Sequence[Entry]) -> Node | None:
        application = node.application
        if application is None or len(inputs) != 1:
            return None
        before = inputs[0].node
        layer = None if before.application is None else Extended.of(before.application)
        if layer is None or len(layer.then) >= _MOST_STEPS or not takes(application):
            return None
        if graph.reads[node.inputs[0]] != 1 or not _is_float32(node, dtypes):
            return None
        made = Extended(layer.dense, (*layer.then, application))
        return node.with_application(made, before.inputs)

    return graph.rewrite(replace)


def _is_float32(node: Node, dtypes: Mapping[Entry, Dtype]) -> bool:
    return all(dtypes[e] == np.float32 for e in (*node.inputs, node.entry()))
