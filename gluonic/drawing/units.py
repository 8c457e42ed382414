"""Units that are found in a graph without names: operators that branch and join again (residual units)."""

from gluonic.drawing.families import family_of
from gluonic.drawing.groups import BoxGroup, nodes_below
from gluonic.graph import Node

_LEAST, _FEWEST_UNITS = 12, 2


def gather_units(group: BoxGroup) -> None:
    """Replace each run of operators that branches and joins again by a group.

    Only in long groups without traced blocks.
    """
    members = group.members
    if len(members) < _LEAST or group.kind or group.role in ("step", "repeat", "unit"):
        return
    runs = _with_activations(_between_cuts(members))
    if sum(map(_is_unit, runs)) < _FEWEST_UNITS:
        return
    group.members = []
    for run in runs:
        if not _is_unit(run):
            group.members += run
            continue
        unit = BoxGroup(group.name)
        unit.members = run
        group.members.append(unit)


def _is_unit(run: list[Node | BoxGroup]) -> bool:
    """Whether a run is a unit: one that reads an input besides, such as the labels of a loss, is none."""
    return len(run) > 2 and not any(isinstance(m, Node) and m.is_variable for m in run)


def _between_cuts(members: list[Node | BoxGroup]) -> list[list[Node | BoxGroup]]:
    """Divide members where only one of them is read later."""
    position = {node: at for at, member in enumerate(members) for node in _nodes(member)}
    last: dict[int, int] = {}
    for node, at in list(position.items()):
        for entry in node.inputs:
            source = position.setdefault(
                entry.node, at - 1
            )  # from outside: available from its first use on
            last[source] = max(last.get(source, at), at)
    runs: list[list[Node | BoxGroup]] = [[]]
    reach = last.get(-1, -1)
    for at, member in enumerate(members):
        runs[-1].append(member)
        if reach <= at:
            runs.append([])
        reach = max(reach, last.get(at, at))
    return [run for run in runs if run]


def _with_activations(runs: list[list[Node | BoxGroup]]) -> list[list[Node | BoxGroup]]:
    """Put activations into the unit whose result they read."""
    joined: list[list[Node | BoxGroup]] = []
    for run in runs:
        is_activation = isinstance(run[0], Node) and family_of(run[0]) == "activation"
        if len(run) == 1 and is_activation and joined and len(joined[-1]) > 2:
            joined[-1] += run
        else:
            joined.append(run)
    return joined


def _nodes(member: Node | BoxGroup) -> list[Node]:
    return [member] if isinstance(member, Node) else list(nodes_below(member))
