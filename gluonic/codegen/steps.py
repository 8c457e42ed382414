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
from gluonic.codegen.loops import emit
from gluonic.codegen.lowering import LoweredGroup
from gluonic.codegen.semantics import Loop, Shape, loop_of
from gluonic.graph.node import Entry, Node

WHOLE = 1 << 40
"""A grain that no axis exceeds: rows are not cut."""


class Step(ABC):
    """Something that machine code does with a few arrays.

    Attributes
    ----------
    operands : the results whose addresses the function gets, in its order
    uses_workspace : whether one more address follows, of `workspace` bytes that are the step's while it runs
    """

    operands: tuple[Entry, ...]
    uses_workspace: bool = False

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

    def variant(self, facts: Facts) -> Hashable:
        """What of the facts the function's code depends on, beyond dtypes and which extents are 1."""
        return None


class LoopStep(Step):
    """A fused group: one loop nest."""

    def __init__(self, group: Group, lowered: LoweredGroup) -> None:
        self.group, self.lowered = group, lowered
        self.operands = tuple(access.entry for access in lowered.operands)

    def emit(self, module: Module, name: str) -> None:
        """Write the kernel."""
        emit(self.lowered.kernel, name, module)

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The table of the kernel: extents and strides."""
        extents = self.lowered.extents(space_of(self.group, facts))
        itemsizes = {entry: facts.dtypes[entry].itemsize for entry in self.operands}
        strides = self.lowered.strides(facts.shapes, itemsizes)
        return [int(n) for n in self.lowered.kernel.table(extents, strides, WHOLE)]

    def units(self, facts: Facts) -> int:
        """The units of work of the kernel."""
        return self.lowered.kernel.units(
            self.lowered.extents(space_of(self.group, facts)), WHOLE
        )

    def variant(self, facts: Facts) -> Hashable:
        """How each operator's loop runs."""
        found = []
        space = space_of(self.group, facts)
        for node in self.group.nodes:
            loop = loop_for(node, facts)
            assert loop is not None
            found.append(
                (loop.reads, loop.written, loop.reduction, loop.axes, loop.space == space)
            )
        return tuple(found)


def loop_for(node: Node, facts: Facts) -> Loop | None:
    """The node as a loop."""
    assert node.application is not None
    return loop_of(
        node.application,
        [facts.shapes[e] for e in node.inputs],
        [facts.shapes[node.entry(i)] for i in range(node.output_count)],
    )


def space_of(group: Group, facts: Facts) -> Shape:
    """The iteration space of a group for these shapes."""
    loop = loop_for(group.nodes[0], facts)
    assert loop is not None
    return loop.space
