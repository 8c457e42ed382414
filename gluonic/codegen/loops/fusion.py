"""Fusion: which operators share a loop.

Operators over one iteration space form one group, so that values between them stay in registers. A group that
reduces has stages: sweeps over the reduced axes, and between them points, which compute with the reduced
values; so softmax or layer norm is one group. Legality: a group must not depend on itself through another
group, which reachability decides. Profit: values that stay inside are neither written to memory nor read from
it, which is counted in bytes.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

from gluonic.codegen.loops.loop import Loop
from gluonic.codegen.loops.semantics import loop_of
from gluonic.codegen.loops.stages import Stages, alone, arrange
from gluonic.codegen.lowerings.entry import lowering_of, why_python
from gluonic.graph import Entry, Graph, Node
from gluonic.graph.attributes import Shape
from gluonic.graph.draws import draws, only_draws

MOST_NODES, MOST_ARRAYS = 64, 32
"""The most operators that share a loop, and the most arrays that it reads."""
_MOST_SIBLINGS = 16
"""The most groups reading the same array, the latest ones, that a group is tried to be merged with."""
_MOST_NAMED = 4


class Group:
    """Operators that run as one loop nest, or a single operator that runs as a whole.

    Attributes
    ----------
    nodes : the operators, in execution order
    stages : when each of them runs in the loop nest; None for an operator that runs as a whole
    reason : for the user: why Python runs it
    inputs, outputs : the results of other groups that it reads, and its own that others read
    step : its machine code; None if Python runs it. A loop that has a step from the start is not fused
    """

    def __init__(self, nodes: list[Node], stages: Stages | None, reason: str = "") -> None:
        self.nodes, self.stages, self.reason = nodes, stages, reason
        self.inputs: list[Entry] = []
        self.outputs: list[Entry] = []
        self.step: Any = None

    @property
    def space(self) -> Shape | None:
        """The iteration space of the loop nest."""
        return None if self.stages is None else self.stages.space

    @property
    def label(self) -> str:
        """The names of a few of its operators; the same in every process."""
        names = [node.operator_name.strip("_") for node in self.nodes]
        few = [*names[: _MOST_NAMED - 1], f"{len(names) - _MOST_NAMED}_more", names[-1]]
        return ".".join(names if len(names) <= _MOST_NAMED else few)

    @property
    def is_native(self) -> bool:
        """Whether it runs as machine code."""
        return self.stages is not None or self.step is not None


class Fusion:
    """A graph divided into groups, in a valid execution order.

    Attributes
    ----------
    groups : the groups
    loops : the loops of the operators that are loops
    saved_bytes : bytes of results that fusion saves writing to memory
    """

    def __init__(self, groups: list[Group], loops: dict[Node, Loop]) -> None:
        self.groups, self.loops, self.saved_bytes = groups, loops, 0


class _Partition:
    """The groups while they are merged, and the dependencies between them.

    Parameters
    ----------
    shapes : of all entries
    roots : for a reshaped result, the result whose memory it shares

    Attributes
    ----------
    before, after : for each group, its direct dependencies, and the groups that directly depend on it
    drew : the last group that draws random numbers in Python
    early : the groups that draw before anything is computed, in order: the rest can be one native call
    latest : for each group, an upper bound on where its dependencies, direct or not, begin in the order
    made, read : for each group, its results, and the results of others and inputs of the graph that it reads
    """

    def __init__(self, shapes: Mapping[Entry, Shape], roots: Mapping[Entry, Entry]) -> None:
        self.shapes, self.roots = shapes, roots
        self.loops: dict[Node, Loop] = {}
        self.group_of: dict[Node, Group] = {}
        self.before: dict[Group, set[Group]] = {}
        self.after: dict[Group, set[Group]] = {}
        self.order: dict[Node, int] = {}
        self.latest: dict[Group, int] = {}
        self.made: dict[Group, set[Entry]] = {}
        self.read: dict[Group, set[Entry]] = {}
        self.drew: Group | None = None
        self.early: list[Group] = []

    def producer(self, entry: Entry) -> Group | None:
        """The group that computes a result; None for an input of the graph."""
        return self.group_of.get(self.roots.get(entry, entry).node)

    def start(self, node: Node, stages: Stages | None, reason: str = "") -> Group:
        """Create a group of one operator."""
        group = Group([node], stages, reason)
        self.order[node] = len(self.order)
        self.group_of[node] = group
        read = () if node.applied.op.reads_shapes else node.inputs
        self.made[group] = {node.entry(i) for i in range(node.output_count)}
        self.read[group] = set(read)
        before = [self.producer(entry) for entry in read]
        if draws(node, train=True):
            before.append(self.drew)
            self.drew = group
        self.before[group] = {p for p in before if p is not None and p is not group}
        if only_draws(node) and self.before[group].issubset(self.early):
            self.early.append(group)
        self.after[group] = set()
        for earlier in self.before[group]:
            self.after[earlier].add(group)
        self.latest[group] = self.order[node]
        return group

    def reaches(self, early: Group, late: Group, *, through_others: bool = False) -> bool:
        """Whether `late` depends on `early`; with `through_others`, through a third group."""
        stack = [g for g in self.before[late] if not (through_others and g is early)]
        floor = self.order[early.nodes[0]]
        seen = set(stack)
        while stack:
            group = stack.pop()
            if group is early:
                return True
            if self.latest[group] < floor:
                continue
            fresh = self.before[group] - seen
            seen |= fresh
            stack.extend(fresh)
        return False

    def try_merge(self, first: Group, second: Group) -> Group | None:
        """Merge two groups, if their operators can share a loop nest."""
        if first.stages is None or second.stages is None or first is second:
            return None
        if first.step is not None or second.step is not None:
            return None
        if len(first.nodes) + len(second.nodes) > MOST_NODES:
            return None
        read = self._read_together(first, second)
        if read is None:
            return None
        if self.reaches(first, second, through_others=True):
            return None
        if self.reaches(second, first, through_others=True):
            return None
        stages = arrange(
            nodes := self._ordered(first, second),
            (first.stages, second.stages),
            self.loops,
            self.shapes,
            self.roots,
            reads_back=second in self.before[first],
        )
        if stages is None:
            return None
        for node in second.nodes:
            self.group_of[node] = first
        first.nodes, first.stages, self.read[first] = nodes, stages, read
        return self._merge(first, second)

    def _ordered(self, first: Group, second: Group) -> list[Node]:
        nodes = [*first.nodes, *second.nodes]
        if self.order[first.nodes[-1]] > self.order[second.nodes[0]]:
            nodes.sort(key=self.order.__getitem__)
        return nodes

    def _read_together(self, first: Group, second: Group) -> set[Entry] | None:
        """The results of others that two groups read; None if they are too many."""
        for one, other in ((first, second), (second, first)):
            if len(self.read[one]) - len(self.made[other]) > MOST_ARRAYS:
                return None
        read = (self.read[first] - self.made[second]) | (self.read[second] - self.made[first])
        return read if len(read) <= MOST_ARRAYS else None

    def _merge(self, kept: Group, gone: Group) -> Group:
        self.made[kept] |= self.made.pop(gone)
        del self.read[gone], self.latest[gone]
        for here, there in ((self.before, self.after), (self.after, self.before)):
            for neighbour in here[gone]:
                there[neighbour].discard(gone)
                there[neighbour].add(kept)
            here[kept] = (here[kept] | here.pop(gone)) - {kept, gone}
            there[kept].discard(kept)
        self._set_latest(kept)
        return kept

    def _set_latest(self, group: Group) -> None:
        """Update `latest` of a group from its dependencies, and of all groups that depend on it."""
        begins = self.order[group.nodes[0]]
        latest = max([begins, *[self.latest[earlier] for earlier in self.before[group]]])
        self.latest[group] = latest
        stack = [group]
        while stack:
            for later in self.after[stack.pop()]:
                if self.latest[later] < latest:
                    self.latest[later] = latest
                    stack.append(later)


def fuse(
    graph: Graph,
    shapes: Mapping[Entry, Shape],
    supported: Callable[[Node], str] | None = None,
    roots: Mapping[Entry, Entry] | None = None,
    standalone_step: Callable[[Node, Loop], Any] = lambda node, loop: None,
    as_loop: Callable[[Node], Loop | None] | None = None,
) -> Fusion:
    """Divide a graph into groups.

    Parameters
    ----------
    graph : the graph
    shapes : of all its entries
    supported : why a node cannot be compiled; an empty string if it can
    roots : for a reshaped result, the result whose memory it shares; no code computes such results
    standalone_step : the step of an operator that is a loop but runs faster unfused; otherwise None
    as_loop : the loop of an operator, None if it has none; by default found from the shapes
    """
    partition = _Partition(shapes, roots or {})
    groups: dict[Group, None] = {}
    for node in graph.run_order:
        if node.application is None or (partition.roots and node.entry() in partition.roots):
            continue
        loop, reason = _loop_of(node, as_loop or partial(_as_loop, shapes), supported)
        if loop is None:
            groups[partition.start(node, None, reason)] = None
            continue
        partition.loops[node] = loop
        stages = alone(node, loop)
        group = partition.start(node, stages)
        group.step = standalone_step(node, loop)
        groups[group] = None
        _join_producers(node, partition, groups)
    _join_siblings(partition, groups)
    found = _in_order(partition, list({**dict.fromkeys(partition.early), **groups}))
    fusion = Fusion(found, partition.loops)
    _set_ports(graph, fusion, partition)
    return fusion


def _as_loop(shapes: Mapping[Entry, Shape], node: Node) -> Loop | None:
    return loop_of(
        node.applied,
        [shapes[entry] for entry in node.inputs],
        [shapes[node.entry(i)] for i in range(node.output_count)],
    )


def _loop_of(
    node: Node,
    as_loop: Callable[[Node], Loop | None],
    supported: Callable[[Node], str] | None,
) -> tuple[Loop | None, str]:
    reason = supported(node) if supported is not None else ""
    if reason:
        return None, lowering_of(node.applied.op).python or reason
    loop = as_loop(node)
    return loop, "" if loop is not None else why_python(node.applied.op)


def _join_producers(node: Node, partition: _Partition, groups: dict[Group, None]) -> None:
    """Merge a new operator's group with the producers of its inputs."""
    for entry in node.inputs:
        producer = partition.producer(entry)
        own = partition.group_of[node]
        if producer is not None and producer is not own:
            _merge(partition, groups, producer, own)


def _merge(partition: _Partition, groups: dict[Group, None], first: Group, second: Group) -> bool:
    merged = partition.try_merge(first, second)
    if merged is None:
        return False
    groups.pop(first if merged is second else second)
    return True


def _join_siblings(partition: _Partition, groups: dict[Group, None]) -> None:
    """Merge groups over the same space that read the same array, so that it is read once."""
    readers: dict[tuple[Entry, Shape], list[Node]] = {}
    for group in groups:
        if group.space is None or len(partition.read[group]) > MOST_ARRAYS:
            continue
        for node in group.nodes:
            for entry in node.inputs:
                root = partition.roots.get(entry, entry)
                readers.setdefault((root, group.space), []).append(node)
    for nodes in readers.values():
        kept: set[Group] = set()
        latest: deque[Group] = deque(maxlen=_MOST_SIBLINGS)
        for node in nodes:
            group = partition.group_of[node]
            if group not in kept and not any(_merge(partition, groups, k, group) for k in latest):
                kept.add(group)
                latest.append(group)


def _in_order(partition: _Partition, groups: Sequence[Group]) -> list[Group]:
    """The groups in topological order."""
    done: dict[Group, None] = {}
    begun: set[Group] = set()
    stack = [(group, False) for group in reversed(groups)]
    while stack:
        group, ready = stack.pop()
        if ready:
            done[group] = None
        elif group not in done:
            if group in begun:
                raise AssertionError(f"the group {group.label} depends on itself")
            begun.add(group)
            stack.append((group, True))
            earlier = sorted(
                partition.before[group], key=lambda g: partition.order[g.nodes[0]], reverse=True
            )
            stack.extend((g, False) for g in earlier if g not in done)
    return list(done)


def _set_ports(graph: Graph, fusion: Fusion, partition: _Partition) -> None:
    """Set the inputs and outputs of each group; loops whose results are never read are removed."""
    roots = partition.roots
    wanted = {roots.get(entry, entry) for entry in graph.outputs}
    needed: list[Group] = []
    for group in reversed(fusion.groups):
        own = [node.entry(i) for node in group.nodes for i in range(node.output_count)]
        group.outputs = [entry for entry in own if entry in wanted]
        if group.space is not None and not group.outputs:
            continue
        needed.append(group)
        group.inputs = _inputs_of(group, fusion, partition)
        wanted.update(roots.get(entry, entry) for entry in group.inputs)
        if group.space is not None:
            inside = (entry for entry in own if entry not in wanted)
            sizes = (prod(partition.shapes[e]) for e in inside)
            fusion.saved_bytes += 2 * 4 * sum(sizes)
    fusion.groups = needed[::-1]


def _inputs_of(group: Group, fusion: Fusion, partition: _Partition) -> list[Entry]:
    """The results of other groups that a group reads."""
    reads: dict[Entry, None] = {}
    for node in group.nodes:
        loop = fusion.loops.get(node)
        otherwise = None if node.applied.op.reads_shapes else ()
        maps: Sequence[Any] = loop.reads if loop is not None else [otherwise] * len(node.inputs)
        for entry, read in zip(node.inputs, maps, strict=True):
            if read is not None and partition.producer(entry) is not group:
                reads[entry] = None
    return list(reads)
