"""Repetitions in a picture: ``conv, norm, relu`` thirteen times becomes one box, ``×13``."""

from collections.abc import Iterator
from typing import TypeAlias

from gluonic.drawing.groups import BoxGroup, groups_below, nodes_below
from gluonic.graph import Entry, Node

_LONGEST_PERIOD = 24
_FEWEST = {True: 2, False: 3}
"""The least number of repetitions: of groups (True), and of runs of operators (False)."""
_FEWEST_OF_ONE = 5

_Form: TypeAlias = tuple[object, ...]


def fold_repeats(group: BoxGroup) -> None:
    """Replace consecutive equal members by a group of role ``repeat``."""
    if group.role in ("repeat", "unit"):
        return
    members, forms = group.members, _forms(group)
    folded: list[Node | BoxGroup] = []
    at = 0
    while at < len(members):
        period, times = _repeat_at(members, forms, at)
        if times and not (period * times == len(members) and period > 1 and group.role == "step"):
            folded.append(_repeat(members[at : at + period * times], period))
        else:
            period, times = 1, 1
            folded.append(members[at])
        at += period * times
    group.members = folded


def _repeat_at(members: list[Node | BoxGroup], forms: list[int], at: int) -> tuple[int, int]:
    """Find the repetition that begins at an index and covers most: its length, and its number of repeats."""
    best = (1, 0)
    for period in range(1, min(_LONGEST_PERIOD, (len(forms) - at) // 2) + 1):
        times = 1
        while forms[at : at + period] == forms[at + period * times : at + period * (times + 1)]:
            times += 1
        if times >= _fewest(members[at : at + period]) and period * times > best[0] * best[1]:
            best = period, times
    return best


def _fewest(run: list[Node | BoxGroup]) -> int:
    if len(run) == 1 and isinstance(run[0], Node):
        return _FEWEST_OF_ONE if not run[0].is_variable else 1_000_000_000
    if any(isinstance(member, Node) and member.is_variable for member in run):
        return 1_000_000_000
    return _FEWEST[len(run) == 1]


def _repeat(members: list[Node | BoxGroup], period: int) -> BoxGroup:
    times = len(members) // period
    made = BoxGroup(f"×{times}", role="repeat")
    if period == 1:
        made.members = list(members)
        return made
    for start in range(0, len(members), period):
        unit = BoxGroup(str(start // period + 1), role="unit")
        unit.members = list(members[start : start + period])
        made.members.append(unit)
    return made


def _forms(group: BoxGroup) -> list[int]:
    """Number the members by the properties that must be equal: operators and their edges, not names."""
    numbers: dict[_Form, int] = {}
    return [numbers.setdefault(_form(member), len(numbers)) for member in group.members]


def _form(member: Node | BoxGroup) -> _Form:
    nodes = [member] if isinstance(member, Node) else list(nodes_below(member))
    positions = {node: position for position, node in enumerate(nodes)}
    joined = tuple(
        (node.operator_name, *(_read(positions, e) for e in node.inputs if not e.node.is_variable))
        for node in nodes
    )
    if isinstance(member, Node):
        return (joined[0][0], len(member.inputs))
    return (member.kind, len(groups_below(member)), joined, *_named(member, nodes))


def _named(group: BoxGroup, nodes: list[Node]) -> Iterator[object]:
    """Blocks that have a name and no class, such as ``stage2``, are equal only if their attributes are."""
    if group.role == "block" and (not group.kind or "Sequential" in group.kind):
        for node in nodes:
            yield tuple(node.attributes.items())


def _read(positions: dict[Node, int], entry: Entry) -> tuple[int, int]:
    """An operator's input, if it is in the same box: its index there, and the index of the output."""
    return (positions[entry.node], entry.index) if entry.node in positions else (-1, 0)
