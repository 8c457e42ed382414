"""Native steps that transpose an array's last axis, in square blocks that fit in registers.

Axes that stay adjacent are merged. Of those that remain, only two matter: `a`, the last axis of the source,
along which its elements are contiguous, and `b`, the last axis of the result, along which the result's are.
"""

from collections.abc import Sequence
from math import prod

from gluonic.codegen.loops.loop import Loop, element
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import FLOAT32, FLOAT64, Dtype
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.symbolic import if_at_least
from gluonic.graph import Node
from gluonic.graph.attributes import Shape

_BY_SIZE: dict[int, Dtype] = {4: FLOAT32, 8: FLOAT64}
"""The dtype as which elements are moved, by their size in bytes."""
MOST_INTERLEAVED = 4
"""Up to this number of elements, such as colours, rows are interleaved."""
_LONG, _SHORT = 1024, 64
"""The elements of a unit of work: along the axis that loops follow, and along the other."""


def merged(order: Sequence[int]) -> tuple[tuple[int, ...], list[list[int]]]:
    """The permutation after merging axes that stay adjacent, and the merged axes of the source.

    >>> merged((0, 2, 3, 1))
    ((0, 2, 1), [[0], [1], [2, 3]])
    """
    runs: list[list[int]] = []
    for axis in order:
        if runs and axis == runs[-1][-1] + 1:
            runs[-1].append(axis)
        else:
            runs.append([axis])
    read = sorted(runs)
    return tuple(read.index(run) for run in runs), read


class TranspositionStep(Step):
    """An array whose last axis is another one.

    Attributes
    ----------
    order : for each merged axis of the result, the merged axis of the source
    runs : for each merged axis of the source, its axes
    together : whether elements along both `a` and `b` are contiguous, in the source and in the result
    """

    def __init__(self, node: Node, order: Sequence[int], facts: Facts) -> None:
        self.operands = (node.inputs[0], node.entry())
        self.order, self.runs = merged(order)
        self.dtype = _BY_SIZE[facts.dtypes[node.entry()].itemsize]
        self.a, self.b = len(self.order) - 1, self.order[-1]
        self.outer = [axis for axis in self.order if axis not in (self.a, self.b)]
        self.together = self.b == self.a - 1, self.order[-2] == self.a

    @classmethod
    def of(cls, node: Node, loop: Loop, facts: Facts) -> "TranspositionStep | None":
        """The step of a loop that moves a whole array; None if the last axis stays last, or nothing moves."""
        if len(node.inputs) != 1 or loop.expression is not element or loop.reads[0] is None:
            return None
        read, shape = loop.reads[0], facts.shapes[node.inputs[0]]
        order = [axis for axis in read.axes if axis is not None]
        turns = read.is_whole and len(read.axes) == len(shape) and {*order} == {*range(len(shape))}
        if not turns or order[-1:] == [len(shape) - 1] or min(shape, default=0) < 2:
            return None
        dtypes = {facts.dtypes[entry] for entry in (node.inputs[0], node.entry())}
        if len(dtypes) > 1 or any(d.hasobject or d.itemsize not in _BY_SIZE for d in dtypes):
            return None
        return cls(node, order, facts)

    def _extents(self, facts: Facts) -> Shape:
        shape = facts.shapes[self.operands[0]]
        return tuple(prod(shape[axis] for axis in run) for run in self.runs)

    def _reach(self, extents: Shape) -> tuple[int, int]:
        """The elements of a unit along `a` and `b`: more along `a` where rows are interleaved."""
        if not self.together[1]:
            return _SHORT, _LONG
        more = MOST_INTERLEAVED + 1
        return if_at_least(extents[self.b], more, _SHORT, _LONG), _LONG

    def numbers(self, facts: Facts) -> Sequence[int]:
        """Extents and strides, in source and result, of `a`, `b` and the others; then the extents of a unit."""
        extents = self._extents(facts)
        there = [prod(extents[axis + 1 :]) for axis in range(len(extents))]
        positions = {axis: position for position, axis in enumerate(self.order)}
        shape = [extents[axis] for axis in self.order]
        here = [prod(shape[positions[axis] + 1 :]) for axis in range(len(extents))]
        found: list[int] = []
        for axis in (self.a, self.b, *self.outer):
            found += [extents[axis], there[axis], here[axis]]
        return [*found, *self._reach(extents)]

    def units(self, facts: Facts) -> int:
        """One unit per part of `a` and `b` at each index of the other axes."""
        extents = self._extents(facts)
        reach_a, reach_b = self._reach(extents)
        parts = -(-extents[self.a] // reach_a) * -(-extents[self.b] // reach_b)
        return parts * prod(extents[axis] for axis in self.outer)

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the loops."""
        from gluonic.codegen.data_movement.transposition import TranspositionWriter

        outer = len(self.outer)
        writer = TranspositionWriter(
            module, name, self.dtype, self.together, outer, MOST_INTERLEAVED
        )
        writer.write()
