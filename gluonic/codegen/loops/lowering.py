"""From a fused group to a kernel: its axes are merged, its operators' expressions become stages."""

from collections.abc import Mapping, Sequence
from math import prod

from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.loops.kernel import AccessPattern, Kernel, Operand
from gluonic.codegen.loops.loop import AxisMap, Loop, Read, composed
from gluonic.codegen.loops.stage_programs import StagePrograms
from gluonic.codegen.machine.target import Target
from gluonic.codegen.maths.values import Dtype
from gluonic.graph import Entry, Node
from gluonic.graph.attributes import Shape
from gluonic.support.record import record


@record
class Access:
    """How the loops of a kernel access an operand.

    Attributes
    ----------
    entry : the result that is read or written
    axes : for each axis of the kernel, the axes of the operand merged into it (none for the axis of a space of
        one element); None if the element is repeated
    part : the operator, and the index of its input, that reads a part of the result; None for all of it
    """

    entry: Entry
    axes: tuple[tuple[int, ...] | None, ...]
    part: tuple[Node, int] | None = None


@record
class LoweredGroup:
    """A group as a kernel, for all shapes of one pattern.

    Attributes
    ----------
    kernel : the loop nest
    operands : how each operand of the kernel is accessed
    merged : for each axis of the kernel, the axes of the group's space merged into it
    reads : for each input of an operator read from memory, the index of its operand
    writes : for each result, the index of the operand it is written to
    written_once : the operands that are written once, in order, and never read
    """

    kernel: Kernel
    operands: tuple[Access, ...]
    merged: tuple[tuple[int, ...], ...]
    reads: Mapping[tuple[Node, int], int]
    writes: Mapping[Entry, int]
    written_once: tuple[int, ...]

    def extents(self, space: Shape) -> list[int]:
        """The extents of the kernel's axes for the given space."""
        return [prod(space[axis] for axis in axes) for axes in self.merged]


def contiguous_stride(shape: Shape, axis: int) -> int:
    """The stride, in elements, of an axis of a contiguous array."""
    return prod(shape[axis + 1 :])


def strides(access: Access, shape: Shape, itemsize: int, read: Read | None) -> list[int]:
    """The strides in bytes along the kernel's axes."""
    found = []
    for axes in access.axes:
        if not axes:
            found.append(0)
            continue
        step = read.step[axes[-1]] if read is not None and read.step else 1
        found.append(contiguous_stride(shape, axes[-1]) * itemsize * step)
    return found


def offset(shape: Shape, itemsize: int, read: Read) -> int:
    """The offset, in bytes, of the first element that is read."""
    steps = (contiguous_stride(shape, axis) for axis in range(len(shape)))
    return sum(b * s for b, s in zip(read.begin, steps, strict=True)) * itemsize


@record
class ResultUse:
    """A group's read or write access to a result, over the axes of the group's space."""

    entry: Entry
    axes: AxisMap
    shape: Shape
    part: tuple[Node, int] | None = None
    cut: frozenset[int] = frozenset()
    stepped: bool = False


def merge_axes(
    space: Shape,
    reduced: frozenset[int],
    uses: Sequence[ResultUse],
    apart: frozenset[int] = frozenset(),
) -> tuple[tuple[int, ...], ...]:
    """Group the axes of a space into loops: adjacent axes merge if all operands access them contiguously.

    Axes of length one are dropped. The result is valid for all extents of the same pattern.

    Parameters
    ----------
    space : the extents
    reduced : the axes that are reduced
    uses : how results are read and written
    apart : axes that must not be merged

    >>> x, y = ResultUse(None, (0, 1, 2), (2, 3, 4)), ResultUse(None, (None, None, 0), (4,))
    >>> merge_axes((2, 3, 4), frozenset(), [x, y])
    ((0, 1), (2,))
    """
    merged: list[tuple[int, ...]] = []
    for axis, extent in enumerate(space):
        if extent == 1:
            continue
        last = merged[-1][-1] if merged else None
        joinable = last is not None and not {last, axis} & apart
        if joinable and _joinable(last, axis, reduced, uses):  # type: ignore[arg-type]
            merged[-1] = (*merged[-1], axis)
        else:
            merged.append((axis,))
    return tuple(merged) or ((),)


def _joinable(first: int, second: int, reduced: frozenset[int], uses: Sequence[ResultUse]) -> bool:
    if (first in reduced) != (second in reduced):
        return False
    for use in uses:
        a, b = use.axes[first], use.axes[second]
        if (a is None) != (b is None):
            return False
        if a is not None and b is not None:
            if b <= a or use.stepped or b in use.cut:
                return False
            if any(use.shape[axis] != 1 for axis in range(a + 1, b)):
                return False
    return True


class GroupLowering:
    """The lowering of one group to a kernel.

    Parameters
    ----------
    group : the operators
    loops : the operators' loops
    shapes, dtypes : of all entries
    roots : for a reshaped result, the result whose memory it shares
    target : the processor
    """

    def __init__(
        self,
        group: Group,
        loops: Mapping[Node, Loop],
        shapes: Mapping[Entry, Shape],
        dtypes: Mapping[Entry, Dtype],
        roots: Mapping[Entry, Entry],
        target: Target,
    ) -> None:
        assert group.stages is not None
        self.group, self.loops, self.stages = group, loops, group.stages
        self.target = target
        self.shapes, self.dtypes, self.roots = shapes, dtypes, roots

    def lower(self) -> LoweredGroup:
        """Make the kernel."""
        reads = self._reads()
        writes = [ResultUse(e, self._written(e), self.shapes[e]) for e in self.group.outputs]
        uses = [*dict.fromkeys(reads.values()), *writes]
        merged = merge_axes(self.stages.space, self.stages.reduced, uses, self._apart())
        accesses = [self._access(use, merged) for use in uses]
        operands = tuple(
            Operand(self.dtypes[a.entry], self._patterns(a, use))
            for a, use in zip(accesses, uses, strict=True)
        )
        reduced = frozenset(
            i for i, axes in enumerate(merged) if axes and axes[0] in self.stages.reduced
        )
        numbers = {key: uses.index(use) for key, use in reads.items()}
        first_output = len(uses) - len(writes)
        programs = StagePrograms(
            self.group,
            self.loops,
            self.dtypes,
            self.roots,
            merged,
            numbers,
            first_output,
            self.target,
        )
        stages = programs.stages()
        scratch = tuple(programs.scratch_dtypes)
        kernel = Kernel(len(merged), operands, stages, reduced, scratch=scratch)
        written = {use.entry: first_output + i for i, use in enumerate(writes)}
        once = tuple(k for k in programs.written_once() if operands[k].patterns[-1] == "unit")
        return LoweredGroup(kernel, tuple(accesses), merged, numbers, written, once)

    def _reads(self) -> dict[tuple[Node, int], ResultUse]:
        """How inputs are read, for each input of an operator that is read from memory."""
        members, found = set(self.group.nodes), dict[tuple[Node, int], ResultUse]()
        for node in self.group.nodes:
            loop, domain = self.loops[node], self.stages.domains[node]
            for position, (entry, read) in enumerate(zip(node.inputs, loop.reads, strict=True)):
                root = self.roots.get(entry, entry)
                if read is not None and root.node not in members:
                    found[node, position] = self._use(entry, read, domain.axes, (node, position))
        return found

    def _use(self, entry: Entry, read: Read, own: AxisMap, where: tuple[Node, int]) -> ResultUse:
        axes = tuple(
            None if length == 1 else axis
            for axis, length in zip(composed(own, read.axes), self.stages.space, strict=True)
        )
        shape = self.shapes[entry]
        if read.is_whole:
            return ResultUse(entry, axes, shape)
        return ResultUse(entry, axes, shape, where, read.cut, any(step != 1 for step in read.step))

    def _written(self, entry: Entry) -> AxisMap:
        """For each axis of the space, the corresponding axis of a result."""
        loop, domain = self.loops[entry.node], self.stages.domains[entry.node]
        axes = loop.written if domain.kind == "reduce" else domain.axes
        return tuple(
            None if length == 1 else axis
            for axis, length in zip(axes, self.stages.space, strict=True)
        )

    def _apart(self) -> frozenset[int]:
        """Axes whose index an expression reads."""
        return frozenset(axis for node in self.group.nodes for axis in self.loops[node].indexed)

    def _access(self, use: ResultUse, merged: Sequence[Sequence[int]]) -> Access:
        axes: list[tuple[int, ...] | None] = []
        for group in merged:
            own = tuple(use.axes[axis] for axis in group)
            axes.append(None if own and own[0] is None else own)  # type: ignore[arg-type]
        return Access(use.entry, tuple(axes), use.part)

    def _patterns(self, access: Access, use: ResultUse) -> tuple[AccessPattern, ...]:
        patterns: list[AccessPattern] = []
        shape = self.shapes[access.entry]
        for position, axes in enumerate(access.axes):
            last = position == len(access.axes) - 1
            if axes is None:
                patterns.append("repeat")
            elif not axes or (
                last and not use.stepped and all(n == 1 for n in shape[axes[-1] + 1 :])
            ):
                patterns.append("unit")
            else:
                patterns.append("stride")
        return tuple(patterns)
