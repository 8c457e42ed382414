"""The stage of each operator of a fused group: a sweep over the reduced axes, or a point after it."""

from collections.abc import Mapping, Sequence

from gluonic.codegen.loops.loop import AxisMap, Loop, Read, composed, identity, reshape_map
from gluonic.graph import Entry, Node
from gluonic.graph.attributes import Shape
from gluonic.support.record import record

_MOST_SWEEPS = 4


@record
class StageDomain:
    """The stage and the axes of an operator.

    Attributes
    ----------
    kind : ``"element"`` or ``"reduce"`` at every position, ``"point"`` once per position of the kept axes
    stage : the index of its sweep; a point runs after that sweep
    axes : for each axis of the group's space, the axis of the operator's own loop
    """

    kind: str
    stage: int
    axes: AxisMap


@record
class Stages:
    """The plan of a group's loop nest.

    Attributes
    ----------
    space : the iteration space
    reduced : the reduced axes that are longer than 1
    domains : the stage and the axes of each operator
    """

    space: Shape
    reduced: frozenset[int]
    domains: Mapping[Node, StageDomain]

    @property
    def sweeps(self) -> int:
        """The number of sweeps."""
        return 1 + max((p.stage for p in self.domains.values() if p.kind != "point"), default=0)


def arrange(
    nodes: Sequence[Node],
    parts: tuple[Stages, Stages],
    loops: Mapping[Node, Loop],
    shapes: Mapping[Entry, Shape],
    roots: Mapping[Entry, Entry],
    *,
    reads_back: bool = False,
) -> Stages | None:
    """Plan a loop nest for operators; None if that is impossible.

    Parameters
    ----------
    nodes : the operators, in order
    parts : the plans of the two groups that are merged
    loops : the operators' loops
    shapes : of all entries
    roots : for a reshaped result, the result whose memory it shares
    reads_back : whether the first part may read results of the second
    """
    frame = _frame(*parts)
    if frame is None:
        return None
    stays = not reads_back and frame == (parts[0].space, parts[0].reduced)
    known = parts[0].domains if stays else {}
    arrangement = _Arrangement(*frame, known, loops, shapes, roots)
    for node in nodes:
        if node not in known and not arrangement.add(node):
            return None
    return _if_worthwhile(Stages(*frame, arrangement.domains))


def alone(node: Node, loop: Loop) -> Stages | None:
    """Plan the loop nest of a single operator; None if that is impossible."""
    kind = "element" if loop.reduction is None else "reduce"
    domain = StageDomain(kind, 0, identity(len(loop.space)))
    return _if_worthwhile(Stages(loop.space, _long_axes(loop.axes, loop.space), {node: domain}))


def _long_axes(axes: Sequence[int], space: Shape) -> frozenset[int]:
    return frozenset(axis for axis in axes if space[axis] != 1)


def _frame(first: Stages, second: Stages) -> tuple[Shape, frozenset[int]] | None:
    """The space and the reduced axes of two merged groups."""
    if first.space == second.space:
        if first.reduced and second.reduced and first.reduced != second.reduced:
            return None
        return first.space, first.reduced or second.reduced
    if first.reduced and not second.reduced:
        return first.space, first.reduced
    return None


class _Arrangement:
    """The stages and axes of operators, found one after the other."""

    def __init__(
        self,
        space: Shape,
        reduced: frozenset[int],
        known: Mapping[Node, StageDomain],
        loops: Mapping[Node, Loop],
        shapes: Mapping[Entry, Shape],
        roots: Mapping[Entry, Entry],
    ) -> None:
        self.space, self.reduced = space, reduced
        self.loops, self.shapes, self.roots = loops, shapes, roots
        self.domains = dict(known)

    def add(self, node: Node) -> bool:
        """Find the stage and the axes of an operator; False if there are none."""
        loop = self.loops[node]
        if loop.space == self.space:
            own: AxisMap | None = identity(len(self.space))
            kind = "element" if loop.reduction is None else "reduce"
            if kind == "reduce" and _long_axes(loop.axes, self.space) != self.reduced:
                return False
        else:
            own, kind = self._embedding(loop), "point"
        if own is None:
            return False
        stage = self._stage(node, loop, own, kind)
        if stage is None:
            return False
        self.domains[node] = StageDomain(kind, stage, own)
        return True

    def _written(self, node: Node) -> AxisMap:
        """For each axis of the space, the axis of an operator's result."""
        domain = self.domains[node]
        return self._plain(self.loops[node].written if domain.kind == "reduce" else domain.axes)

    def _embedding(self, loop: Loop) -> AxisMap | None:
        """For each axis of the space, the axis of a loop over the kept axes only."""
        if loop.reduction is not None or not self.reduced or loop.indexed:
            return None
        kept = tuple(1 if i in self.reduced else n for i, n in enumerate(self.space))
        return reshape_map(kept, loop.space)

    def _plain(self, axes: AxisMap) -> AxisMap:
        """A map in which axes of length one count as repeated."""
        if 1 not in self.space:
            return axes
        return tuple(
            [None if length == 1 else axis for axis, length in zip(axes, self.space, strict=True)]
        )

    def _stage(self, node: Node, loop: Loop, own: AxisMap, kind: str) -> int | None:
        """The earliest stage at which all values that the operator reads are available."""
        stage, depends = 0, False
        for entry, read in zip(node.inputs, loop.reads, strict=True):
            root = self.roots.get(entry, entry)
            domain = self.domains.get(root.node)
            if read is None or domain is None:
                continue
            if not self._is_at_hand(entry, root, read, own):
                return None
            depends = True
            ready = domain.stage
            if domain.kind != "element" and kind != "point":
                ready += 1
            elif domain.kind == "element" and kind == "point":
                return None
            stage = max(stage, ready)
        if kind == "point" and not depends:
            return None
        return stage

    def _is_at_hand(self, entry: Entry, root: Entry, read: Read, own: AxisMap) -> bool:
        """Whether the element that is read is computed at the same position, so it is in a register."""
        if not read.is_whole or root.index != 0:
            return False
        axes = composed(own, read.axes)
        if entry is not root and entry != root:
            reshaped = reshape_map(self.shapes[entry], self.shapes[root])
            if reshaped is None:
                return False
            axes = composed(axes, reshaped)
        return self._plain(axes) == self._written(root.node)


def _if_worthwhile(stages: Stages) -> Stages | None:
    if not stages.reduced:  # so there is one sweep
        return stages
    everything = _long_axes(range(len(stages.space)), stages.space)
    if stages.reduced == everything and stages.sweeps > 1:
        return None  # one position only: threads can share a second group
    return stages if stages.sweeps <= _MOST_SWEEPS else None
