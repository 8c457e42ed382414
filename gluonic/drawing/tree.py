"""The blocks of a graph, nested as in a picture.

Blocks from a trace, or inferred from names, are simplified: a block of one operator becomes that operator,
blocks around one block become one, the steps of an unrolled net are ``t0``, ``t1``, …, and repetitions become
one ``×12``. Nothing here recurses.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from gluonic.drawing.blocks import block_paths
from gluonic.drawing.families import looks_like_parameter
from gluonic.drawing.groups import BoxGroup, groups_below, nodes_below
from gluonic.drawing.repeats import fold_repeats
from gluonic.drawing.units import gather_units
from gluonic.graph import Node
from gluonic.graph.block_path import BlockCall, BlockPath

_DEEPEST = 24
_MOST_MEMBERS = 160
_STEP = re.compile(r"(?:^|_)(t\d+)_")


def block_tree(nodes: Sequence[Node]) -> BoxGroup:
    """Nest nodes by the blocks that made them.

    Parameters
    ----------
    nodes : the visible nodes, in topological order
    """
    root = _nested(nodes)
    for tidy in (_joined, _steps, gather_units, fold_repeats, _parts):
        for group in reversed(groups_below(root)):
            tidy(group)
    return root


def _nested(nodes: Sequence[Node]) -> BoxGroup:
    root = BoxGroup(role="")
    known: dict[tuple[object, ...], BoxGroup] = {(): root}
    for node, path in zip(nodes, _paths(nodes), strict=True):
        group = root
        for length in range(1, min(len(path), _DEEPEST) + 1):
            prefix = path[:length]
            if prefix not in known:
                call = path[length - 1]
                known[prefix] = BoxGroup(call.prefix or call.name, call.kind)
                group.members.append(known[prefix])
            group = known[prefix]
        group.members.append(node)
    _order_by_results(root, nodes)
    return root


def _order_by_results(root: BoxGroup, nodes: Sequence[Node]) -> None:
    """Order blocks by their last operators: after their inputs."""
    last: dict[Node | BoxGroup, int] = {node: number for number, node in enumerate(nodes)}
    for group in reversed(groups_below(root)):
        group.members.sort(key=last.__getitem__)
        last[group] = last[group.members[-1]] if group.members else 0


def _paths(nodes: Sequence[Node]) -> list[tuple[BlockCall, ...]]:
    """For each node, the blocks around it, as names, classes and the numbers of calls."""
    if not any(isinstance(node.block, BlockPath) and node.block.calls for node in nodes):
        end = "" if any(node.block for node in nodes) else "_"
        return [
            tuple(BlockCall(name, "", 0, name + end) for name in path)
            for path in block_paths(nodes)
        ]
    paths: dict[Node, tuple[BlockCall, ...]] = {
        node: node.block.calls if isinstance(node.block, BlockPath) else () for node in nodes
    }
    paths |= _of_readers(nodes, paths)
    return [paths[node] for node in nodes]


def _of_readers(
    nodes: Sequence[Node], paths: Mapping[Node, tuple[BlockCall, ...]]
) -> dict[Node, tuple[BlockCall, ...]]:
    """Put parameters into the innermost block around all their readers; inputs stay outside."""
    is_parameter = parameter_test(nodes)
    found: dict[Node, tuple[BlockCall, ...]] = {}
    for node in nodes:
        for entry in node.inputs:
            if entry.node.is_variable and entry.node in paths:
                path = paths[node]
                before = found.get(entry.node, path)
                same = 0
                while same < min(len(before), len(path)) and before[same] == path[same]:
                    same += 1
                found[entry.node] = before[:same]
    return {node: path if is_parameter(node) else () for node, path in found.items()}


def _joined(group: BoxGroup) -> None:
    """Remove uninformative blocks.

    These are blocks around one operator or one block, and ``Sequential`` ones with a generic name, such
    as ``features``.
    """
    members: list[Node | BoxGroup] = []
    for member in group.members:
        if not isinstance(member, BoxGroup):
            members.append(member)
            continue
        inner = [m for m in member.members if isinstance(m, BoxGroup) or not m.is_variable]
        if len(inner) > 1 and not _says_nothing(member, group):
            members.append(member)
            continue
        if len(inner) == 1 and isinstance(inner[0], BoxGroup) and "Sequential" in inner[0].kind:
            inner[0].name, inner[0].kind = member.name, member.kind
        members += member.members
    group.members = members
    if not group.role and not any(isinstance(m, Node) and not m.is_variable for m in members):
        _open_outermost(group)


def _says_nothing(group: BoxGroup, around: BoxGroup) -> bool:
    return "Sequential" in group.kind and group.name in ("", around.name)


def _open_outermost(root: BoxGroup) -> None:
    """Open the outermost block if it contains everything: it needs no border."""
    groups = [member for member in root.members if isinstance(member, BoxGroup)]
    if len(groups) == 1:
        (whole,) = groups
        root.name, root.kind = whole.name, whole.kind
        root.members = [
            inner
            for member in root.members
            for inner in (whole.members if member is whole else [member])
        ]
        _joined(root)


def _steps(group: BoxGroup) -> None:
    """Gather the operators of the steps of an unrolled net."""
    marks = [_step_of(member) for member in group.members]
    if len(set(marks) - {""}) < 2:
        return
    steps: dict[str, BoxGroup] = {}
    members: list[Node | BoxGroup] = []
    for member, mark in zip(group.members, marks, strict=True):
        if not mark:
            members.append(member)
            continue
        if mark not in steps:
            steps[mark] = BoxGroup(mark, role="step")
            members.append(steps[mark])
        steps[mark].members.append(member)
    group.members = [_lone(member) for member in members]


def _lone(member: Node | BoxGroup) -> Node | BoxGroup:
    """A step that consists of one block becomes that block; one of a single operator becomes that operator."""
    if isinstance(member, Node) or member.role != "step" or len(member.members) > 1:
        return member
    (inner,) = member.members
    if isinstance(inner, BoxGroup):
        inner.name, inner.role = member.name, "step"
    return inner


def _step_of(member: Node | BoxGroup) -> str:
    """``t3`` for members of step 3, otherwise empty."""
    marks = set()
    for node in [member] if isinstance(member, Node) else nodes_below(member):
        if not node.is_variable:
            found = _STEP.search(node.name)
            marks.add(found[1] if found else "")
    return marks.pop() if len(marks) == 1 else ""


def _parts(group: BoxGroup) -> None:
    """Divide groups with too many members."""
    while len(group.members) > _MOST_MEMBERS:
        length = max(12, min(_MOST_MEMBERS, round(len(group.members) ** 0.5)))
        parts: list[Node | BoxGroup] = []
        for start in range(0, len(group.members), length):
            held = group.members[start : start + length]
            part = BoxGroup(f"{start + 1} to {start + len(held)}", role="part")
            part.members = held
            parts.append(part)
        group.members = parts


def shown(nodes: Sequence[Node], *, hide_parameters: bool) -> list[Node]:
    """Choose the nodes that get boxes: parameters are lines in the boxes that read them."""
    is_parameter = parameter_test(nodes)
    return [node for node in nodes if not (hide_parameters and is_parameter(node))]


def parameter_test(nodes: Sequence[Node]) -> Callable[[Node], bool]:
    """Return the test that tells parameters from inputs, by names or by the only slot that reads them."""
    slots: dict[Node, set[str]] = {}
    for node in nodes:
        if node.application is not None:
            for slot, entry in zip(node.application.inputs, node.inputs, strict=False):
                slots.setdefault(entry.node, set()).add(slot)
    states = ("weight", "bias", "gamma", "beta", "moving_mean", "moving_var")

    def is_parameter(node: Node) -> bool:
        if not node.is_variable or node not in slots:
            return False
        return looks_like_parameter(node.name) or slots[node] <= set(states)

    return is_parameter
