"""The choice of the blocks that are open."""

from gluonic.drawing.static.shown_graph import ROOT, ShownGraph

_COMFORTABLE = 40


def everything(graph: ShownGraph) -> set[int]:
    """All blocks."""
    return set(graph.below())


def opening(graph: ShownGraph) -> set[int]:
    """Open levels as long as at most about forty boxes are visible.

    Repetitions stay closed, unless the graph is small.
    """
    is_small = graph.total(ROOT).operators <= _COMFORTABLE

    def opens(thing: int) -> bool:
        is_repeat = thing < 0 and graph.block(thing)["role"] == "repeat"
        return graph.can_open(thing) and (is_small or not is_repeat)

    found = {ROOT}
    level = [thing for thing in graph.members(ROOT) if opens(thing)]
    seen = len(graph.members(ROOT))
    while level:
        seen += sum(len(graph.members(thing)) - 1 for thing in level)
        if seen > _COMFORTABLE:
            break
        found.update(level)
        level = [m for thing in level for m in graph.members(thing) if opens(m)]
    return found
