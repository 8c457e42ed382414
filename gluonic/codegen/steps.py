"""Native steps: what a run of machine code consists of, one function call after the other.

A step writes its function into the graph's module, ``void step(char** operands, const int64_t* numbers,
int64_t begin, int64_t end)``, as kernels are (see :mod:`gluonic.codegen.kernel`). Sizes are run-time
numbers, so one function serves all shapes of a pattern.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence

from gluonic.codegen.assembler import Module
from gluonic.codegen.facts import Facts
from gluonic.codegen.fusion import Group
from gluonic.codegen.loop import Loop, Read, Shape
from gluonic.codegen.loops import emit
from gluonic.codegen.lowering import Access, offset, strides
from gluonic.codegen.semantics import loop_of
from gluonic.codegen.serving import LoopNest
from gluonic.graph.node import Entry, Node

WHOLE = 1 << 40
"""A grain that no axis exceeds: rows are not cut."""


class Step(ABC):
    """Something that machine code does with a few arrays.

    Attributes
    ----------
    operands : the results whose addresses the function gets, in its order
    displaced : the operands of which the function gets not the first element's address, but one behind it
    keeps : whether what the step writes must still be there at the next call; it is zero at the first
    is_foreign : whether code that is not ours runs, which may do more than fill its results
    uses_workspace : whether one more address follows, of `workspace` bytes that are the step's while it runs
    """

    operands: tuple[Entry, ...]
    uses_workspace: bool = False
    is_foreign: bool = False
    keeps: bool = False
    displaced: tuple[int, ...] = ()

    @abstractmethod
    def emit(self, module: Module, name: str) -> None:
        """Write the function under that name."""

    @abstractmethod
    def numbers(self, facts: Facts) -> Sequence[int]:
        """The run-time numbers that go with these shapes; how many they are does not depend on shapes."""

    def units(self, facts: Facts) -> int:
        """How many units of work there are; they may run in any order."""
        return 1

    def workspace(self, facts: Facts) -> int:
        """How many bytes of scratch memory the step needs."""
        return 0

    def displacements(self, facts: Facts) -> Sequence[int]:
        """By how many bytes, for each of the displaced operands."""
        return ()

    def variant(self, facts: Facts) -> Hashable:
        """What of the facts the function's code depends on, beyond dtypes."""
        return None

    def serves(self, facts: Facts) -> bool:
        """Whether the function is right for other shapes; asked if the variants are the same."""
        return True


class LoopStep(Step):
    """A fused group: one loop nest."""

    def __init__(self, nest: LoopNest) -> None:
        self.nest, self.group, self.lowered = nest, nest.group, nest.lowered
        lowered = nest.lowered
        self.operands = tuple(access.entry for access in lowered.operands)
        parts = (i for i, access in enumerate(lowered.operands) if access.part is not None)
        self.displaced = tuple(parts)

    def emit(self, module: Module, name: str) -> None:
        """Write the kernel."""
        emit(self.lowered.kernel, name, module)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The table of the kernel: extents and strides."""
        extents = self.lowered.extents(space_of(self.group, facts))
        found = []
        for access in self.lowered.operands:
            entry = access.entry
            size = facts.dtypes[entry].itemsize
            found.append(strides(access, facts.shapes[entry], size, self._part(access, facts)))
        return [int(n) for n in self.lowered.kernel.table(extents, found, WHOLE)]

    @staticmethod
    def _part(access: Access, facts: Facts) -> Read | None:
        """Which part of an operand is read."""
        if access.part is None:
            return None
        node, position = access.part
        loop = loop_for(node, facts)
        assert loop is not None
        return loop.reads[position]

    def displacements(self, facts: Facts) -> Sequence[int]:
        """Where the parts that are read begin."""
        found = []
        for position in self.displaced:
            access = self.lowered.operands[position]
            read, size = self._part(access, facts), facts.dtypes[access.entry].itemsize
            assert read is not None
            found.append(offset(facts.shapes[access.entry], size, read))
        return found

    def units(self, facts: Facts) -> int:
        """The units of work of the kernel."""
        return self.lowered.kernel.units(self.lowered.extents(space_of(self.group, facts)), WHOLE)

    def serves(self, facts: Facts) -> bool:
        """Whether the strides that these shapes give are those that the operators mean."""
        loops = {node: loop_for(node, facts) for node in self.nest.group.nodes}
        return self.nest.serves(loops, facts)


def loop_for(node: Node, facts: Facts) -> Loop | None:
    """The node as a loop."""
    assert node.application is not None
    return loop_of(
        node.application,
        [facts.shapes[e] for e in node.inputs],
        [facts.shapes[node.entry(i)] for i in range(node.output_count)],
    )


def space_of(group: Group, facts: Facts) -> Shape:
    """The iteration space of a group for these shapes: of its first operator that is no point."""
    assert group.stages is not None
    node = next(n for n in group.nodes if group.stages.places[n].kind != "point")
    loop = loop_for(node, facts)
    assert loop is not None
    return loop.space
