"""The difference of two graphs: operators added, removed and changed. Names are ignored.

Operators are matched in execution order: first those with equal attributes, as a text diff matches lines; then,
in the gaps between them, operators of the same kind, which have changed.
"""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeAlias

from gluonic.drawing.page.marks import Marks
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.infer import Facts
from gluonic.graph.view import written
from gluonic.support.record import record

_MOST_COMPARED = 3000
"""Longer runs of different operators are matched one by one: a diff would take quadratic time."""
_Form: TypeAlias = tuple[Any, ...]


@record
class Difference:
    """Two graphs in one.

    Attributes
    ----------
    graph : the new one, and what was removed from the old one
    marks : the marks of added, removed and changed nodes
    facts : the shapes of both
    matched : for nodes of the old one, those of the new one that they became
    """

    graph: Graph
    marks: Marks
    facts: Facts
    matched: Mapping[Node, Node]


def difference(old: Graph, new: Graph, shapes: tuple[Facts, Facts]) -> Difference:
    """Compare two graphs.

    Parameters
    ----------
    old, new : the graphs
    shapes : those of their nodes' outputs, in the same order
    """
    before, after = _operators(old), _operators(new)
    pairs = _matched(before, after)
    counterpart = dict(pairs)
    _match_variables(counterpart, old, new)
    matched = dict(counterpart)
    removed = [node for node in before if node not in counterpart]
    known = set(counterpart.values())
    added = [node for node in after if node not in known]
    notes = {b: changes for a, b in pairs if (changes := _changes(a, b, counterpart, shapes))}
    for node in removed:
        inputs = [Entry(_kept(counterpart, e.node), e.index) for e in node.inputs]
        counterpart[node] = node.with_application(node.application, inputs)
    gone = [counterpart[node] for node in removed]
    kinds = dict.fromkeys(gone, "removed") | dict.fromkeys(added, "added")
    kinds |= dict.fromkeys(notes, "changed")
    read = {e.node for node in gone for e in node.inputs}
    dangling = [node.entry() for node in gone if node not in read]
    merged = Graph([*new.outputs, *dangling])
    old_facts = {counterpart.get(node, node): shapes[0][node] for node in old.nodes}
    facts = {node: (old_facts | shapes[1])[node] for node in merged.nodes}
    summary = f"{len(added)} added, {len(removed)} removed, {len(notes)} changed"
    return Difference(merged, Marks(summary, kinds, notes), facts, matched)


def _operators(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if not node.is_variable]


def _kept(counterpart: dict[Node, Node], node: Node) -> Node:
    """The node in the picture that represents an old one; a removed variable represents itself."""
    return counterpart.setdefault(node, node)


def _form(node: Node) -> _Form:
    settings = node.applied.settings
    return (
        node.operator_name,
        len(node.inputs),
        repr(sorted(settings.items(), key=lambda i: i[0])),
    )


def _kind(node: Node) -> _Form:
    return (node.operator_name,)


def _matched(before: Sequence[Node], after: Sequence[Node]) -> list[tuple[Node, Node]]:
    """Pairs of operators that are equal, or have changed."""
    start = 0
    old_forms, new_forms = [_form(n) for n in before], [_form(n) for n in after]
    shorter = min(len(before), len(after))
    while start < shorter and old_forms[start] == new_forms[start]:
        start += 1
    end = 0
    while end < shorter - start and old_forms[-1 - end] == new_forms[-1 - end]:
        end += 1
    pairs = list(zip(before[:start], after[:start], strict=True))
    middle = slice(start, len(before) - end), slice(start, len(after) - end)
    pairs += _aligned(
        before[middle[0]], after[middle[1]], old_forms[middle[0]], new_forms[middle[1]]
    )
    return pairs + list(zip(before[len(before) - end :], after[len(after) - end :], strict=True))


def _aligned(
    before: Sequence[Node], after: Sequence[Node], old: Sequence[_Form], new: Sequence[_Form]
) -> list[tuple[Node, Node]]:
    if max(len(old), len(new)) > _MOST_COMPARED:
        same = zip(before, after, strict=False)
        return [(a, b) for a, b in same if a.operator_name == b.operator_name]
    pairs: list[tuple[Node, Node]] = []
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pairs += zip(before[a1:a2], after[b1:b2], strict=True)
        elif tag == "replace":
            kinds = [_kind(n) for n in before[a1:a2]], [_kind(n) for n in after[b1:b2]]
            for a, b, count in SequenceMatcher(None, *kinds, autojunk=False).get_matching_blocks():
                pairs += zip(
                    before[a1 + a : a1 + a + count], after[b1 + b : b1 + b + count], strict=True
                )
    return pairs


def _match_variables(counterpart: dict[Node, Node], old: Graph, new: Graph) -> None:
    """Match variables that matched operators read as the same inputs."""
    for node in old.nodes:
        partner = counterpart.get(node)
        if partner is None or node.is_variable:
            continue
        for mine, theirs in zip(node.inputs, partner.inputs, strict=False):
            if mine.node.is_variable and theirs.node.is_variable:
                counterpart.setdefault(mine.node, theirs.node)
    by_name = {node.name: node for node in new.variables}
    for node in old.variables:
        if node.name in by_name:
            counterpart.setdefault(node, by_name[node.name])


def _changes(
    old: Node, new: Node, counterpart: dict[Node, Node], shapes: tuple[Facts, Facts]
) -> list[str]:
    """The changes of an operator, one per line."""
    before, after = old.applied.settings, new.applied.settings
    lines = [
        f"{name}: {before.get(name)} → {after.get(name)}"
        for name in dict.fromkeys([*before, *after])
        if repr(before.get(name)) != repr(after.get(name))
    ]
    read = [(counterpart.get(e.node), e.index) for e in old.inputs]
    if read != [(e.node, e.index) for e in new.inputs]:
        lines.append("reads other results")
    shape_before, shape_after = shapes[0][old][0], shapes[1][new][0]
    if None not in (shape_before, shape_after) and shape_before != shape_after:
        lines.append(f"output: {written(shape_before)} → {written(shape_after)}")
    return lines
