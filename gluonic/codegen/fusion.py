"""Fusion: which operators share a loop.

Operators over one iteration space go into one group, so that what they pass to each other stays in
registers. A group must not depend on itself by way of another group (legality, by reachability); it is worth
it because what stays inside is neither written nor read (profit, in bytes). What a group may not do is read a
reduction's result in the sweep that computes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gluonic.codegen.semantics import AxisMap, Loop, Shape, loop_of
from gluonic.graph.node import Entry, Graph, Node


@dataclass(eq=False)
class Group:
    """Operators that run as one loop, or a single operator that runs as a whole.

    Attributes
    ----------
    nodes : the operators, in order
    space : the iteration space of the loop; None for an operator that runs as a whole
    reason : why Python runs it, for the user
    step : what machine code does for an operator that runs as a whole; None if Python runs it
    """

    nodes: list[Node]
    space: Shape | None
    reason: str = ""
    inputs: list[Entry] = field(default_factory=list)
    outputs: list[Entry] = field(default_factory=list)
    step: Any = None

    @property
    def is_native(self) -> bool:
        """Whether machine code runs it."""
        return self.space is not None or self.step is not None


@dataclass
class Fusion:
    """A graph divided into groups, in an order in which they can run.

    Attributes
    ----------
    groups : the groups
    loops : the loop of each operator that is one
    saved_bytes : what fusion spares: bytes of results that never reach memory
    """

    groups: list[Group]
    loops: dict[Node, Loop]
    saved_bytes: int = 0


class _Partition:
    """The groups as they grow, with the arrows between them."""

    def __init__(self) -> None:
        self.group_of: dict[Node, Group] = {}
        self.before: dict[Group, set[Group]] = {}

    def start(self, node: Node, space: Shape | None, reason: str = "") -> Group:
        group = Group([], space, reason)
        self.before[group] = set()
        self.put(node, group)
        return group

    def put(self, node: Node, group: Group) -> None:
        group.nodes.append(node)
        self.group_of[node] = group
        for entry in node.inputs:
            producer = self.group_of.get(entry.node)
            if producer is not None and producer is not group:
                self.before[group].add(producer)

    def reaches(self, early: Group, late: Group) -> bool:
        """Whether `late` depends on `early`."""
        stack, seen = [late], {late}
        while stack:
            for group in self.before[stack.pop()]:
                if group is early:
                    return True
                if group not in seen:
                    seen.add(group)
                    stack.append(group)
        return False

    def can_join(self, node: Node, group: Group) -> bool:
        """Whether the node's other inputs are independent of the group."""
        producers = {self.group_of[e.node] for e in node.inputs if e.node in self.group_of}
        return all(p is group or not self.reaches(group, p) for p in producers)

    def merge(self, kept: Group, gone: Group) -> None:
        """Put the nodes of one group into another."""
        for node in gone.nodes:
            self.group_of[node] = kept
        kept.nodes = sorted([*kept.nodes, *gone.nodes], key=lambda n: n.serial)
        self.before[kept] = (self.before[kept] | self.before.pop(gone)) - {kept, gone}
        for others in self.before.values():
            if gone in others:
                others.discard(gone)
                others.add(kept)


def fuse(graph: Graph, shapes: Mapping[Entry, Shape], supported: Any = None) -> Fusion:
    """Divide a graph into groups.

    Parameters
    ----------
    graph : the graph
    shapes : of all its entries
    supported : ``(node) -> reason`` why a node cannot be compiled, an empty string if it can
    """
    partition, loops = _Partition(), {}
    groups: list[Group] = []
    for node in graph.nodes:
        if node.application is None:
            continue
        loop, reason = _loop_of(node, shapes, supported)
        if loop is None:
            groups.append(partition.start(node, None, reason))
            continue
        loops[node] = loop
        home = _home(node, loop, partition, loops)
        if home is None:
            groups.append(partition.start(node, loop.space))
        else:
            partition.put(node, home)
    ordered = _in_order(partition, _merge_siblings(partition, groups, loops))
    fusion = Fusion(ordered, loops)
    _set_ports(graph, fusion, shapes, partition)
    return fusion


def _merge_siblings(
    partition: _Partition, groups: Sequence[Group], loops: Mapping[Node, Loop]
) -> list[Group]:
    """Join groups that sweep one space, so that what both read is read once (minimum and maximum)."""
    kept: list[Group] = []
    for group in groups:
        twin = next((k for k in kept if _are_siblings(k, group, partition, loops)), None)
        if twin is None:
            kept.append(group)
        else:
            partition.merge(twin, group)
    return kept


def _are_siblings(
    first: Group, second: Group, partition: _Partition, loops: Mapping[Node, Loop]
) -> bool:
    if first.space is None or first.space != second.space:
        return False
    if len(_reduced_axes([*first.nodes, *second.nodes], loops)) > 1:
        return False
    read = {entry for node in first.nodes for entry in node.inputs}
    if not any(entry in read for node in second.nodes for entry in node.inputs):
        return False
    return not partition.reaches(first, second) and not partition.reaches(second, first)


def _reduced_axes(nodes: Sequence[Node], loops: Mapping[Node, Loop]) -> set[tuple[int, ...]]:
    """The sets of axes that reductions among the nodes go over; a kernel reduces one set."""
    return {loops[node].axes for node in nodes if loops[node].reduction is not None}


def _loop_of(node: Node, shapes: Mapping[Entry, Shape], supported: Any) -> tuple[Loop | None, str]:
    assert node.application is not None
    reason = supported(node) if supported is not None else ""
    if reason:
        return None, reason
    loop = loop_of(
        node.application,
        [shapes[entry] for entry in node.inputs],
        [shapes[node.entry(i)] for i in range(node.output_count)],
    )
    return loop, "" if loop is not None else f"{node.operator_name} runs as a whole"


def _home(
    node: Node, loop: Loop, partition: _Partition, loops: Mapping[Node, Loop]
) -> Group | None:
    """The group that the node can join: that of a producer, or of a sibling that reads the same."""
    for entry in node.inputs:
        group = partition.group_of.get(entry.node)
        if (
            group is not None
            and group.space == loop.space
            and len(_reduced_axes([*group.nodes, node], loops)) <= 1
            and _reads_in_place(node, group, loop, loops, partition)
            and partition.can_join(node, group)
        ):
            return group
    return None


def _reads_in_place(
    node: Node, group: Group, loop: Loop, loops: Mapping[Node, Loop], partition: _Partition
) -> bool:
    """Whether all that the node reads from the group is the very element that is at hand."""
    identity: AxisMap = tuple(range(len(loop.space)))
    for entry, read in zip(node.inputs, loop.reads, strict=True):
        if partition.group_of.get(entry.node) is not group or read is None:
            continue
        if loops[entry.node].reduction is not None or read != identity:
            return False
    return True


def _in_order(partition: _Partition, groups: Sequence[Group]) -> list[Group]:
    """The groups, each after those it depends on."""
    done: dict[Group, None] = {}
    stack = [(group, False) for group in reversed(groups)]
    while stack:
        group, ready = stack.pop()
        if ready:
            done[group] = None
        elif group not in done:
            stack.append((group, True))
            earlier = sorted(partition.before[group], key=lambda g: g.nodes[0].serial, reverse=True)
            stack.extend((g, False) for g in earlier if g not in done)
    return list(done)


def _set_ports(
    graph: Graph, fusion: Fusion, shapes: Mapping[Entry, Shape], partition: _Partition
) -> None:
    """Find what each group reads and what others read of it."""
    wanted = set(graph.outputs)
    for group in fusion.groups:
        reads: dict[Entry, None] = {}
        for node in group.nodes:
            loop = fusion.loops.get(node)
            maps: Sequence[Any] = loop.reads if loop is not None else [()] * len(node.inputs)
            for entry, read in zip(node.inputs, maps, strict=True):
                if read is not None and partition.group_of.get(entry.node) is not group:
                    reads[entry] = None
        group.inputs = list(reads)
        wanted.update(reads)
    for group in fusion.groups:
        for node in group.nodes:
            for index in range(node.output_count):
                entry = node.entry(index)
                if entry in wanted:
                    group.outputs.append(entry)
                elif group.space is not None:
                    fusion.saved_bytes += 2 * 4 * int(np.prod(shapes[entry], dtype=np.int64))
