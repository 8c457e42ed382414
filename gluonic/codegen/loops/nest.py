"""Whether a loop nest written for some shapes is valid for others.

A loop nest depends on the position of each operator's loop in the space, on the results that pass between
operators in registers, and on the strides of arrays in memory. Along an axis of one element none of that
matters. So shapes are not compared directly: along every axis of more than one element, the strides passed to
the machine code must be those that the operators expect.
"""

from collections.abc import Mapping

from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.loops.loop import AxisMap, Loop, Read, composed, identity, reshape_map
from gluonic.codegen.loops.lowering import Access, LoweredGroup, contiguous_stride, strides
from gluonic.codegen.loops.stages import StageDomain
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.symbolic import is_one
from gluonic.graph import Entry, Node
from gluonic.graph.attributes import Shape
from gluonic.support.record import record


@record
class LoopNest:
    """A loop nest as it was written, which can be checked against other shapes.

    Attributes
    ----------
    group : the operators
    loops : their loops, for the shapes it was written for
    lowered : the kernel
    roots : for a reshaped result, the result whose memory it shares
    """

    group: Group
    loops: Mapping[Node, Loop]
    lowered: LoweredGroup
    roots: Mapping[Entry, Entry]

    def fits(self, loops: Mapping[Node, Loop | None], facts: Facts) -> bool:
        """Whether it is valid for other shapes; `loops` are the operators' loops for these."""
        found = {node: loop for node, loop in loops.items() if loop is not None}
        if len(found) < len(self.group.nodes):
            return False
        return _Question(self, found, facts).answer()


class _Question:
    """The check of a loop nest against one set of shapes."""

    def __init__(self, nest: LoopNest, loops: Mapping[Node, Loop], facts: Facts) -> None:
        self.nest, self.loops, self.facts = nest, loops, facts
        stages = nest.group.stages
        assert stages is not None
        self.stages = stages
        first = next(n for n in nest.group.nodes if stages.domains[n].kind != "point")
        self.space = loops[first].space
        self.long = [axis for axis, extent in enumerate(self.space) if not is_one(extent)]

    def answer(self) -> bool:
        """Whether the machine code is valid for the shapes."""
        nodes, lowered = self.nest.group.nodes, self.nest.lowered
        if len(self.space) != len(self.stages.space):
            return False
        covered = {axis for axes in lowered.merged for axis in axes}
        return (
            covered.issuperset(self.long)
            and all(self._lies_there(node, self.stages.domains[node]) for node in nodes)
            and all(self._is_passed_on(node) for node in nodes)
            and all(self._is_read(*where, n) for where, n in lowered.reads.items())
            and all(self._is_written(e, n) for e, n in lowered.writes.items())
        )

    def _lies_there(self, node: Node, domain: StageDomain) -> bool:
        """Whether an operator's loop runs over the planned axes and reduces the same ones."""
        loop, before = self.loops[node], self.nest.loops[node]
        if len(loop.space) != len(before.space) or loop.indexed != before.indexed:
            return False
        if domain.kind == "point":
            mapped = set(domain.axes)
            left = (n for axis, n in enumerate(loop.space) if axis not in mapped)
            fits = all(n == 1 for n in left) and all(
                axis is None or loop.space[axis] == self.space[i]
                for i, axis in enumerate(domain.axes)
            )
        else:
            fits = loop.space == self.space
        return fits and self._reduces_alike(loop, before)

    def _reduces_alike(self, loop: Loop, before: Loop) -> bool:
        """Whether the same axes are reduced; a reduction over axes of length one may be left out."""
        if before.reduction is None:
            return loop.reduction is None
        if loop.reduction is None:
            return before.finish is None and all(loop.space[axis] == 1 for axis in before.axes)
        reduced = {axis for axis in loop.axes if not is_one(self.space[axis])}
        return loop.reduction == before.reduction and reduced == self.stages.reduced.intersection(
            self.long
        )

    def _is_passed_on(self, node: Node) -> bool:
        """Whether the group's results that an operator reads are computed at the same position."""
        own = self.stages.domains[node].axes
        for position, (entry, read) in enumerate(
            zip(node.inputs, self.loops[node].reads, strict=True)
        ):
            before = self.nest.loops[node].reads[position]
            if (read is None) != (before is None):
                return False
            root = self.nest.roots.get(entry, entry)
            if read is None or root.node not in self.stages.domains:
                continue
            axes: AxisMap | None = composed(own, read.axes)
            if entry != root:
                axes = self._reshaped(composed(own, read.axes), entry, root)
            if axes is None or not read.is_whole or not self._same(axes, self._lies(root.node)):
                return False
        return True

    def _reshaped(self, axes: AxisMap, entry: Entry, root: Entry) -> AxisMap | None:
        by_root = reshape_map(self.facts.shapes[entry], self.facts.shapes[root])
        return None if by_root is None else composed(axes, by_root)

    def _same(self, axes: AxisMap, others: AxisMap) -> bool:
        return all(axes[axis] == others[axis] for axis in self.long)

    def _lies(self, node: Node) -> AxisMap:
        """For each axis of the space, the corresponding axis of an operator's result."""
        domain = self.stages.domains[node]
        if domain.kind != "reduce":
            return composed(domain.axes, identity(len(self.loops[node].space)))
        return self.loops[node].written

    def _is_read(self, node: Node, position: int, number: int) -> bool:
        """Whether an operand has the strides that an operator reads with."""
        access, read = self.nest.lowered.operands[number], self.loops[node].reads[position]
        if read is None or read.is_whole != (access.part is None):
            return False
        axes = composed(self.stages.domains[node].axes, read.axes)
        return self._has_strides(number, access, axes, read)

    def _is_written(self, entry: Entry, number: int) -> bool:
        """Whether an operand has the strides of a result."""
        axes = self._lies(entry.node)
        return self._has_strides(number, self.nest.lowered.operands[number], axes, None)

    def _has_strides(self, number: int, access: Access, axes: AxisMap, read: Read | None) -> bool:
        """Whether an operand has, along each axis of the space, the stride of its array's axis."""
        shape = self.facts.shapes[access.entry]
        lowered = self.nest.lowered
        patterns = lowered.kernel.operands[number].patterns
        given = strides(access, shape, 1, read)
        for position, merged in enumerate(lowered.merged):
            stride = 0 if patterns[position] == "repeat" else given[position]
            if patterns[position] == "unit":
                stride = 1
            for axis in reversed(merged):
                if not is_one(self.space[axis]) and stride != _stride(shape, axes[axis], read):
                    return False
                stride *= self.space[axis]
        return True


def _stride(shape: Shape, axis: int | None, read: Read | None) -> int:
    """The stride, in elements, of a read along an axis of an array."""
    if axis is None or is_one(shape[axis]):
        return 0
    step = read.step[axis] if read is not None and read.step else 1
    return contiguous_stride(shape, axis) * step
