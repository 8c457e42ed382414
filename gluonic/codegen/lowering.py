"""From a fused group to a kernel: its axes made few, its operators' expressions made one body."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gluonic.codegen.fusion import Fusion, Group
from gluonic.codegen.kernel import Kernel, Operand, Reduce, Result, Stage, Store, Way
from gluonic.codegen.semantics import AxisMap, Loop, Shape
from gluonic.codegen.values import Dtype
from gluonic.graph.node import Entry


@dataclass(frozen=True)
class Access:
    """How an operand is reached from the loops of a kernel.

    Attributes
    ----------
    entry : the result that is read or written
    axes : for each axis of the kernel, the axes of the operand it stands for, merged (none of them for the
        axis of a space of one element); None: repeated
    """

    entry: Entry
    axes: tuple[tuple[int, ...] | None, ...]


@dataclass(frozen=True)
class LoweredGroup:
    """A group as a kernel, for all shapes of one pattern.

    Attributes
    ----------
    kernel : the loop nest
    operands : how each operand of the kernel is reached
    merged : for each axis of the kernel the axes of the group's space that it stands for
    """

    kernel: Kernel
    operands: tuple[Access, ...]
    merged: tuple[tuple[int, ...], ...]

    def extents(self, space: Shape) -> list[int]:
        """The extents of the kernel's axes for a space of such extents."""
        return [_product(space[axis] for axis in axes) for axes in self.merged]

    def strides(
        self, shapes: Mapping[Entry, Shape], itemsizes: Mapping[Entry, int]
    ) -> list[list[int]]:
        """For each operand its strides in bytes along the kernel's axes."""
        return [
            [
                0
                if not axes
                else contiguous_stride(shapes[a.entry], axes[-1]) * itemsizes[a.entry]
                for axes in a.axes
            ]
            for a in self.operands
        ]


def _product(numbers: Any) -> int:
    result = 1
    for number in numbers:
        result *= number
    return result


def contiguous_stride(shape: Shape, axis: int) -> int:
    """The stride, in elements, of an axis of a contiguous array."""
    return _product(shape[axis + 1 :])


def merge_axes(
    space: Shape, reduced: frozenset[int], maps: Sequence[AxisMap]
) -> tuple[tuple[int, ...], ...]:
    """Which axes of a space can run as one: neighbours that every operand passes through alike.

    Axes of length one are left out. The result holds for all extents of the same pattern.

    >>> merge_axes((2, 3, 4), frozenset(), [(0, 1, 2), (None, None, 0)])
    ((0, 1), (2,))
    """
    merged: list[tuple[int, ...]] = []
    for axis, extent in enumerate(space):
        if extent == 1:
            continue
        if merged and _joinable(merged[-1][-1], axis, reduced, maps):
            merged[-1] = (*merged[-1], axis)
        else:
            merged.append((axis,))
    return tuple(merged) or ((),)


def _joinable(first: int, second: int, reduced: frozenset[int], maps: Sequence[AxisMap]) -> bool:
    if (first in reduced) != (second in reduced):
        return False
    for read in maps:
        a, b = read[first], read[second]
        if (a is None) != (b is None) or (a is not None and b is not None and b != a + 1):
            return False
    return True


def _access(entry: Entry, read: AxisMap, merged: Sequence[Sequence[int]]) -> Access:
    axes: list[tuple[int, ...] | None] = []
    for group in merged:
        own = tuple(read[axis] for axis in group)
        axes.append(None if own and own[0] is None else own)  # type: ignore[arg-type]
    return Access(entry, tuple(axes))


def _ways(access: Access, shape: Shape) -> tuple[Way, ...]:
    ways: list[Way] = []
    for position, axes in enumerate(access.axes):
        last = position == len(access.axes) - 1
        if axes is None:
            ways.append("repeat")
        elif not axes or (last and all(extent == 1 for extent in shape[axes[-1] + 1 :])):
            ways.append("unit")
        else:
            ways.append("stride")
    return tuple(ways)


class GroupLowering:
    """The making of one kernel.

    Parameters
    ----------
    group : the operators
    fusion : the division it belongs to, for the operators' loops
    shapes, dtypes : of all entries
    """

    def __init__(
        self,
        group: Group,
        fusion: Fusion,
        shapes: Mapping[Entry, Shape],
        dtypes: Mapping[Entry, Dtype],
    ) -> None:
        assert group.space is not None
        self.group, self.loops = group, fusion.loops
        self.shapes, self.dtypes = shapes, dtypes
        self.space = group.space
        self.members = set(group.nodes)
        reductions = [self.loops[n] for n in group.nodes if self.loops[n].reduction]
        self.reduced = frozenset(reductions[0].axes) if reductions else frozenset()

    def lower(self) -> LoweredGroup:
        """Make the kernel."""
        reads = self._reads()
        writes = [(entry, self.loops[entry.node].written) for entry in self.group.outputs]
        maps = [read for _, read in (*reads, *writes)]
        merged = merge_axes(self.space, self.reduced, maps)
        accesses = [_access(entry, read, merged) for entry, read in (*reads, *writes)]
        operands = tuple(
            Operand(self.dtypes[a.entry], _ways(a, self.shapes[a.entry])) for a in accesses
        )
        reduced = frozenset(i for i, axes in enumerate(merged) if axes and axes[0] in self.reduced)
        numbers = {pair: number for number, pair in enumerate(reads)}
        kernel = Kernel(len(merged), operands, self._stages(numbers, len(reads), merged), reduced)
        return LoweredGroup(kernel, tuple(accesses), merged)

    def _reads(self) -> list[tuple[Entry, AxisMap]]:
        """What is read from memory, each way of reading it once."""
        found: dict[tuple[Entry, AxisMap], None] = {}
        for node in self.group.nodes:
            for entry, read in zip(node.inputs, self.loops[node].reads, strict=True):
                if read is not None and entry.node not in self.members:
                    found[entry, read] = None
        return list(found)

    def _stages(
        self, numbers: Mapping[tuple[Entry, AxisMap], int], first_output: int, merged: Any
    ) -> tuple[Stage, ...]:
        """One sweep, and, if something is reduced, a step that writes what has been."""
        outputs = {e: first_output + i for i, e in enumerate(self.group.outputs)}
        stored = [e for e in self.group.outputs if self.loops[e.node].reduction is None]
        reductions = [n.entry() for n in self.group.nodes if self.loops[n].reduction]
        results: list[Result] = [Store(outputs[e]) for e in stored]
        results += [
            Reduce(self.loops[e.node].reduction)  # type: ignore[arg-type]
            for e in reductions
        ]

        def sweep(m: Any, x: Any, r: Any) -> list[Any]:
            values = self._evaluate(_Renumbered(m, merged), x, numbers)
            return [values[e] for e in (*stored, *reductions)]

        if not reductions:
            return (Stage(sweep, tuple(results)),)

        def write(m: Any, x: Any, r: Any) -> list[Any]:
            finished = []
            for entry, value in zip(reductions, r, strict=True):
                finish = self.loops[entry.node].finish
                done = value if finish is None else finish(_Renumbered(m, merged), value)
                finished.append(m.astype(done, self.dtypes[entry]))
            return finished

        point = Stage(write, tuple(Store(outputs[e]) for e in reductions), point=True)
        return (Stage(sweep, tuple(results)), point)

    def _evaluate(
        self, m: Any, x: Any, numbers: Mapping[tuple[Entry, AxisMap], int]
    ) -> dict[Entry, Any]:
        """Read the operators' expressions, one after the other, over what is at hand."""
        values: dict[Entry, Any] = {}
        for node in self.group.nodes:
            loop: Loop = self.loops[node]
            elements = [
                values[entry] if entry.node in self.members else x[numbers[entry, read]]
                for entry, read in zip(node.inputs, loop.reads, strict=True)
                if read is not None
            ]
            value = loop.expression(m, *elements)
            entry = node.entry()
            if loop.reduction is None:
                value = m.astype(m.asarray(value), self.dtypes[entry])
            values[entry] = value
        return values


class _Renumbered:
    """An emitter that is asked for extents by the axes of the group's space."""

    def __init__(self, m: Any, merged: Sequence[Sequence[int]]) -> None:
        self._m, self._merged = m, merged

    def __getattr__(self, name: str) -> Any:
        return getattr(self._m, name)

    def extent(self, axes: Sequence[int]) -> Any:
        """The number of elements along axes of the space, which are merged whole or not at all."""
        return self._m.extent([i for i, own in enumerate(self._merged) if own and own[0] in axes])
