"""The arrows of each level: one between blocks enters and leaves each open block through a port."""

from collections.abc import Sequence, Set
from typing import NamedTuple

from gluonic.drawing.static.shown_graph import ShownGraph


class End(NamedTuple):
    """An end of an arrow.

    Attributes
    ----------
    member : a member of the block that contains the arrow; None for the block's own port
    port : the flow through the port of the block, or of the member if that is open
    """

    member: int | None
    port: str | None


class LevelArrow(NamedTuple):
    """An arrow between members of one block; several flows may share it."""

    start: End
    stop: End
    flows: list[str]


Levels = dict[int, dict[tuple[End, End], LevelArrow]]


def around(graph: ShownGraph, thing: int) -> list[int]:
    """The blocks that contain a thing, up to the outermost one, which is the last."""
    found = []
    at = graph.parents.get(thing)
    while at is not None:
        found.append(at)
        at = graph.parents.get(at)
    return found


def seen_as(graph: ShownGraph, opened: Set[int], thing: int) -> int:
    """The visible representative of a thing: itself, or the outermost closed block around it."""
    closed = [block for block in around(graph, thing) if block not in opened]
    return closed[-1] if closed else thing


def arrows_by_level(graph: ShownGraph, opened: Set[int]) -> Levels:
    """The arrows of each open block, between its members.

    Parameters
    ----------
    graph : the graph
    opened : the blocks that are open
    """
    found: Levels = {}
    chains: dict[int, list[int]] = {}
    for target, node in enumerate(graph.nodes):
        if "folded" in node or target not in graph.parents:
            continue
        b = seen_as(graph, opened, target)
        for source, output in node.get("inputs", ()):
            if "folded" in graph.nodes[source] or source not in graph.parents:
                continue
            a = seen_as(graph, opened, source)
            if a != b:
                for thing in (a, b):
                    chains.setdefault(thing, around(graph, thing))
                _join(found, (a, chains[a]), (b, chains[b]), f"{source}:{output}")
    return found


def _join(found: Levels, a: tuple[int, list[int]], b: tuple[int, list[int]], flow: str) -> None:
    """Add an arrow from `a` to `b`, each with its enclosing blocks, in every block on its way."""
    (first, up), (second, down) = a, b
    i, j = len(up) - 1, len(down) - 1
    while i > 0 and j > 0 and up[i - 1] == down[j - 1]:
        i, j = i - 1, j - 1
    port = End(None, flow)
    for depth in range(i):
        _add(found, up[depth], _end(first, up, depth, flow), port, flow)
    for depth in range(j):
        _add(found, down[depth], port, _end(second, down, depth, flow), flow)
    _add(found, up[i], _end(first, up, i, flow), _end(second, down, j, flow), flow)


def _end(thing: int, up: Sequence[int], depth: int, flow: str) -> End:
    return End(thing, None) if depth == 0 else End(up[depth - 1], flow)


def _add(found: Levels, level: int, start: End, stop: End, flow: str) -> None:
    arrow = found.setdefault(level, {}).setdefault((start, stop), LevelArrow(start, stop, []))
    if flow not in arrow.flows:
        arrow.flows.append(flow)
