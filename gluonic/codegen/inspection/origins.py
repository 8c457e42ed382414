"""Which operators of the user's graph a step of the compiled graph computes.

A node that replaces another keeps its name and call. Other new nodes have the user's line and the block of the
operator that they belong to. An operator of which no node is left runs in the step of a neighbour: an
activation, for instance, in that of the product before it.
"""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from gluonic.codegen.lowerings.entry import lowering_at
from gluonic.graph import Graph, Node

if TYPE_CHECKING:
    from gluonic.codegen.loops.fusion import Group


def origins(
    graph: Graph, groups: Sequence["Group"], prepacked: Collection["Group"]
) -> list[tuple[Node, ...]]:
    """For each group, the operators of the graph that it computes, in order.

    Parameters
    ----------
    graph : the user's graph
    groups : the groups that it was divided into
    prepacked : the groups that run only when a parameter has changed
    """
    operators = [node for node in graph.nodes if not node.is_variable]
    by_call = {node.call: node for node in operators}
    by_name = {(node.name, node.location): node for node in operators}
    found: list[dict[Node, None]] = [{} for _ in groups]
    unnamed: list[tuple[int, Node]] = []
    for number, group in enumerate(groups):
        for node in group.nodes:
            origin = by_call.get(node.call) or by_name.get((node.name, node.location))
            if origin is None:
                unnamed.append((number, node))
            else:
                found[number][origin] = None
    named = {node for nodes in found for node in nodes}
    _by_location(found, unnamed, [node for node in operators if node not in named])
    lasting = [
        number
        for number, group in enumerate(groups)
        if group not in prepacked and not all(map(_only_moves, group.nodes))
    ]
    _by_neighbours(graph, operators, found, lasting)
    order = {node: index for index, node in enumerate(operators)}
    return [tuple(sorted(nodes, key=order.__getitem__)) for nodes in found]


def _only_moves(node: Node) -> bool:
    """Whether a node only moves elements, and has the name of the operator whose result it moves."""
    # Most compiled graphs have no images, and every first call imports this file.
    from gluonic.codegen.convolution.operators import pad_images, to_channel_blocks, to_planes

    moved = to_planes, pad_images, to_channel_blocks
    return node.application is not None and node.application.op in moved


def _by_location(
    found: list[dict[Node, None]], unnamed: Sequence[tuple[int, Node]], missing: Sequence[Node]
) -> None:
    """Find operators that were decomposed: their parts have their lines."""
    at: dict[object, list[Node]] = {}
    for node in missing:
        at.setdefault((node.location, node.block), []).append(node)
    for number, node in unnamed:
        if node.location is not None:
            found[number].update(dict.fromkeys(at.get((node.location, node.block), ())))


def _by_neighbours(
    graph: Graph, operators: Sequence[Node], found: list[dict[Node, None]], lasting: Sequence[int]
) -> None:
    """Find operators that were fused into others: they run in the step of the one before or after."""
    step: dict[Node, int] = {}
    for number in lasting:
        for node in found[number]:
            step[node] = number
    waiting = [node for node in operators if node not in step]
    backwards = waiting[::-1]
    for last in (False, True):
        for node in [*backwards, *waiting] if last else [*waiting, *backwards]:
            if node in step:
                continue
            before = [step[e.node] for e in node.inputs if e.node in step]
            after = [step[reader] for reader in graph.consumers[node] if reader in step]
            first, second = (before, after) if lowering_at(node).follows_input else (after, before)
            if chosen := (first or (second if last else [])):
                step[node] = chosen[-1]
                found[chosen[-1]][node] = None
