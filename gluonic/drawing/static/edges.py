"""The arrows of each level: one between blocks enters and leaves each open block through a port.

Flows that cross a border side by side, from one box or to one box, share a port and become one arrow.
"""

from collections.abc import Sequence, Set
from typing import NamedTuple

from gluonic.drawing.static.shown_graph import ShownGraph

_FEWEST_BUNDLED = 4


class End(NamedTuple):
    """An end of an arrow.

    Attributes
    ----------
    member : a member of the block that contains the arrow; None for the block's own port
    port : the port of the block, or of the member if that is open: a flow, or a bundle of flows
    """

    member: int | None
    port: str | None


class LevelArrow(NamedTuple):
    """An arrow between members of one block; several flows may share it."""

    start: End
    stop: End
    flows: list[str]


Levels = dict[int, dict[tuple[End, End], LevelArrow]]


class _Link(NamedTuple):
    """A flow between two visible boxes, each with the blocks around it."""

    flow: str
    start: int
    stop: int
    up: list[int]
    down: list[int]

    def borders(self) -> tuple[list[int], list[int]]:
        """The blocks that the flow leaves, and those that it enters, inner ones first."""
        i, j = len(self.up) - 1, len(self.down) - 1
        while i > 0 and j > 0 and self.up[i - 1] == self.down[j - 1]:
            i, j = i - 1, j - 1
        return self.up[:i], self.down[:j]


class _Ports:
    """The ports at the borders of blocks, and which flows share one."""

    def __init__(self, links: Sequence[_Link]) -> None:
        self._flows: dict[tuple[int, str], set[str]] = {}
        for link in links:
            for block in (block for side in link.borders() for block in side):
                for bundle in _bundles(link):
                    self._flows.setdefault((block, bundle), set()).add(link.flow)

    def at(self, block: int, link: _Link) -> str:
        """The port through which a flow crosses the border of a block."""
        large = (b for b in _bundles(link) if len(self._flows[block, b]) >= _FEWEST_BUNDLED)
        return next(large, link.flow)


def _bundles(link: _Link) -> tuple[str, str]:
    return f"from {link.start}", f"to {link.stop}"


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
    links: list[_Link] = []
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
                links.append(_Link(f"{source}:{output}", a, b, chains[a], chains[b]))
    found: Levels = {}
    ports = _Ports(links)
    for link in links:
        _join(found, link, ports)
    return found


def _join(found: Levels, link: _Link, ports: _Ports) -> None:
    """Add an arrow in every block on the way of a flow."""
    left, entered = link.borders()
    first, second = End(link.start, None), End(link.stop, None)
    for block in left:
        port = ports.at(block, link)
        _add(found, block, first, End(None, port), link.flow)
        first = End(block, port)
    for block in entered:
        port = ports.at(block, link)
        _add(found, block, End(None, port), second, link.flow)
        second = End(block, port)
    _add(found, link.up[len(left)], first, second, link.flow)


def flows_by_start(arrows: Sequence[LevelArrow]) -> dict[End, list[str]]:
    """The flows that leave each box; of those that pass a port of an open block, only bundles."""
    found: dict[End, list[str]] = {}
    for arrow in arrows:
        if arrow.start.member is not None:
            flows = found.setdefault(arrow.start, [])
            flows += [flow for flow in arrow.flows if flow not in flows]
    return {end: flows for end, flows in found.items() if end.port is None or len(flows) > 1}


def _add(found: Levels, level: int, start: End, stop: End, flow: str) -> None:
    arrow = found.setdefault(level, {}).setdefault((start, stop), LevelArrow(start, stop, []))
    if flow not in arrow.flows:
        arrow.flows.append(flow)
