"""Rewrites that share work between operators: products with one matrix become one, parts are taken early."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gluonic.codegen.loops.inner_operators import EqualPiece, cut_out, part
from gluonic.codegen.rewriting.passes import Pass, PassContext
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.builder import F
from gluonic.graph.ops.dense import fully_connected


class ShareProducts(Pass):
    """Dense layers that apply one matrix to the slices of one array, as in unrolled cells, become one layer.

    Examples
    --------
    >>> x, w = Node(None, "x").entry(), Node(None, "w").entry()
    >>> steps = [cut_out(x, EqualPiece(0, i, 2, True)) for i in range(2)]
    >>> made = [F.FullyConnected(step, w, num_hidden=3, no_bias=True) for step in steps]
    >>> print(ShareProducts().shown(*made, x=(2, 4, 5), w=(3, 5)))
    part = _part(x, cuts=(0, 0, 2, 1))
    fullyconnected = FullyConnected(part, w, num_hidden=3, no_bias=True)
    part.1 = _part(x, cuts=(0, 1, 2, 1))
    fullyconnected.1 = FullyConnected(part.1, w, num_hidden=3, no_bias=True)
    return fullyconnected, fullyconnected.1
    --------------------
    fullyconnected = FullyConnected(x, w, num_hidden=3, no_bias=True, flatten=False)
    part = _part(fullyconnected, cuts=(0, 0, 2, 1))
    part.1 = _part(fullyconnected, cuts=(0, 1, 2, 1))
    return part, part.1
    """

    name = "share products"
    contract = "no dense layers apply one matrix to all slices of one array"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Replace them by one layer."""
        return share_products(graph, lambda: context.facts(graph).shapes)


class TakePartsEarly(Pass):
    """Parts of element-wise results are computed from parts of the operands, if only parts are read.

    Examples
    --------
    >>> x = Node(None, "x").entry()
    >>> y = F.exp(x)
    >>> parts = [cut_out(y, EqualPiece(1, i, 2, False)) for i in range(2)]
    >>> print(TakePartsEarly().shown(F.elemwise_mul(*parts), x=(2, 6)))
    exp = exp(x)
    part = _part(exp, cuts=(1, 0, 2, 0))
    part.1 = _part(exp, cuts=(1, 1, 2, 0))
    elemwise_mul = elemwise_mul(part, part.1)
    return elemwise_mul
    --------------------
    part = _part(x, cuts=(1, 0, 2, 0))
    exp = exp(part)
    part.1 = _part(x, cuts=(1, 1, 2, 0))
    exp.1 = exp(part.1)
    elemwise_mul = elemwise_mul(exp, exp.1)
    return elemwise_mul
    """

    name = "take parts early"
    contract = "results that are read only in parts are computed only in parts"

    def apply(self, graph: Graph, context: PassContext) -> Graph:
        """Take parts of operands."""
        return take_parts_early(graph)


def share_products(graph: Graph, shapes: Callable[[], Mapping[Entry, Shape]]) -> Graph:
    """Replace dense layers that apply one matrix to the slices of one array, as in unrolled cells, by one.

    Parameters
    ----------
    graph : the graph
    shapes : returns the shapes of its entries; only ranks are read
    """
    families = {key: nodes for key, nodes in _families(graph).items() if len(nodes) > 1}
    if families:
        known = shapes()
        families = {
            key: nodes for key, nodes in families.items() if _has_rows(nodes[0], len(known[key[0]]))
        }
    key_of = {node: key for key, nodes in families.items() for node in nodes}
    made: dict[Any, Entry] = {}

    def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
        key = key_of.get(node)
        if key is None:
            return None
        (cut,) = EqualPiece.of(inputs[0].node.applied.settings["cuts"])
        if key not in made:
            settings = {**node.applied.settings, "flatten": False}
            made[key] = F.FullyConnected(inputs[0].node.inputs[0], *inputs[1:], **settings)
        return [cut_out(made[key], cut)]

    return graph.rewrite(replace) if families else graph


def _families(graph: Graph) -> dict[Any, list[Node]]:
    """Complete sets of dense layers, by the shared array, its axis, weight and bias."""
    found: dict[Any, list[Node]] = {}
    indices: dict[Any, set[int]] = {}
    for node in graph.nodes:
        if node.application is None or node.application.op is not fully_connected:
            continue
        source = node.inputs[0].node
        if source.application is None or source.application.op is not part:
            continue
        cuts = EqualPiece.of(source.application.settings["cuts"])
        if len(cuts) == 1 and cuts[0].drops and cuts[0].axis <= 1:
            cut = cuts[0]
            key = (source.inputs[0], cut.axis, cut.count, *node.inputs[1:])
            found.setdefault(key, []).append(node)
            indices.setdefault(key, set()).add(cut.index)
    return {key: nodes for key, nodes in found.items() if len(indices[key]) == key[2]}


def _has_rows(node: Node, rank: int) -> bool:
    """Whether a dense layer transforms the last axis of a slice, given the rank of the whole array."""
    return rank == 3 or (rank > 3 and not node.applied.settings["flatten"])


def take_parts_early(graph: Graph) -> Graph:
    """Compute parts of element-wise results from parts of the operands, if only parts are read."""
    readers = _readers(graph)
    outputs = {entry.node for entry in graph.outputs}

    def is_shared_out(node: Node) -> bool:
        op = node.application.op if node.application is not None else None
        if op is None or op.scalar is None or op.name.startswith("broadcast_") or node in outputs:
            return False
        parts = readers.get(node, [])
        settings = {_cuts(reader) for reader in parts}
        return (
            bool(parts)
            and None not in settings
            and len(settings) == len(parts)
            and _disjoint(settings)
        )

    candidates = {node for node in graph.nodes if is_shared_out(node)}
    if not candidates:
        return graph

    def replace(node: Node, inputs: Sequence[Entry]) -> Sequence[Entry] | None:
        if _cuts(node) is None or node.inputs[0].node not in candidates:
            return None
        whole = inputs[0].node
        (cut,) = EqualPiece.of(_cuts(node) or ())
        return [whole.with_inputs([cut_out(entry, cut) for entry in whole.inputs]).entry()]

    return graph.rewrite(replace)


def _readers(graph: Graph) -> dict[Node, list[Node]]:
    found: dict[Node, list[Node]] = {}
    for node in graph.nodes:
        for entry in node.inputs:
            found.setdefault(entry.node, []).append(node)
    return found


def _cuts(node: Node) -> tuple[int, ...] | None:
    """The cuts of a node that takes a part; None for any other."""
    if node.application is None or node.application.op is not part:
        return None
    cuts: tuple[int, ...] = node.application.settings["cuts"]
    return cuts


def _disjoint(settings: set[Any]) -> bool:
    """Whether parts, given by their cuts, are different pieces of the same division."""
    cuts = [EqualPiece.of(numbers) for numbers in settings]
    return (
        all(len(each) == 1 for each in cuts) and len({(c[0].axis, c[0].count) for c in cuts}) == 1
    )
