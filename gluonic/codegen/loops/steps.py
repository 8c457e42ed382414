"""Native steps: what a run of machine code consists of, one function call after the other.

A step writes its function into the graph's module, ``void step(char** operands, const int64_t* numbers,
int64_t begin, int64_t end)``, as kernels are (see :mod:`gluonic.codegen.loops.kernel`). Sizes are run-time
numbers, so one function serves all shapes of a pattern.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace
from math import prod

from gluonic.codegen.loops.costs import (
    NANOSECONDS_A_BYTE,
    NANOSECONDS_AN_INSTRUCTION,
    instructions_of,
)
from gluonic.codegen.loops.emission import emit
from gluonic.codegen.loops.fusion import Group
from gluonic.codegen.loops.loop import Loop, Read
from gluonic.codegen.loops.lowering import Access, offset, strides
from gluonic.codegen.loops.nest import LoopNest
from gluonic.codegen.loops.semantics import loop_of
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.shapes.facts import Facts
from gluonic.codegen.shapes.symbolic import if_at_least
from gluonic.graph import Entry, Node
from gluonic.graph.attributes import Shape

_STREAMED_FROM = 16 << 20
"""So many bytes fill what one of several cores can hope to have of the last cache."""
WHOLE = 1 << 40
"""A grain that no axis exceeds: rows are not cut."""
_MANY_UNITS = 64
"""So many units need not be made more."""
_UNIT, _LEAST_GRAIN = 1 << 14, 256
"""About how many elements a unit has, and at least; whole registers fit in that for all processors."""


Code = tuple[Callable[..., None], *tuple[Hashable, ...]]
"""What writes a function, and its arguments: what is equal writes the same."""


class Step(ABC):
    """Something that machine code does with a few arrays.

    One is made for facts that note what they are asked; the function is right for all that answer alike.

    Attributes
    ----------
    operands : the results whose addresses the function gets, in its order
    displaced : the operands of which the function gets not the first element's address, but one behind it
    keeps : whether what the step writes must still be there at the next call; it is zero at the first
    declines : whether it may turn out that only the interpreter can answer, such as by an error: the function
        gets the address of a number behind its operands, and then makes it 1
    is_foreign : whether code that is not ours runs, which may do more than fill its results
    uses_workspace : whether one more address follows, of `workspace` bytes that are the thread's while it runs
    has_common_workspace : whether these are of all threads instead
    phases : how many times the function is called, one after the other, each time with numbers of its own
    has_key : whether operators, dtypes and extents of 1 alone decide the function
    code : what writes the function, and its arguments behind module and name, where that decides it alone
    """

    operands: tuple[Entry, ...]
    uses_workspace: bool = False
    declines: bool = False
    is_foreign: bool = False
    has_common_workspace: bool = False
    phases: int = 1
    has_key: bool = False
    code: Code | None = None
    keeps: bool = False
    displaced: tuple[int, ...] = ()

    @abstractmethod
    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the function under that name."""

    @abstractmethod
    def numbers(self, facts: Facts) -> Sequence[int]:
        """The run-time numbers that go with these shapes, as many for each phase, whatever the shapes."""

    def units(self, facts: Facts) -> int:
        """How many units of work there are; they may run in any order."""
        return 1

    def phase_units(self, facts: Facts) -> Sequence[int]:
        """The units of work of each phase."""
        return (self.units(facts),)

    def nanoseconds(self, facts: Facts) -> float:
        """About how long one thread takes; here for what mostly moves memory."""
        return sum(facts.bytes_of(entry) for entry in self.operands) * NANOSECONDS_A_BYTE

    def workspace(self, facts: Facts) -> int:
        """How many bytes of scratch memory a thread needs for its units."""
        return 0

    def displacements(self, facts: Facts) -> Sequence[int]:
        """By how many bytes, for each of the displaced operands."""
        return ()


class LoopStep(Step):
    """A fused group: one loop nest.

    Parameters
    ----------
    nest : the operators and their kernel
    facts : shapes and dtypes to write it for
    lasting : the results whose memory outlasts the call, to which nothing is written but them
    """

    has_key = True

    def __init__(self, nest: LoopNest, facts: Facts, lasting: Collection[Entry] = ()) -> None:
        self.nest, self.group, self.lowered = nest, nest.group, nest.lowered
        lowered = nest.lowered
        self._lasting = [k for k in lowered.written_once if lowered.operands[k].entry in lasting]
        self.kernel = replace(lowered.kernel, streamed=facts.decide(self._streamed))
        facts.require(self._fits)
        self.operands = tuple(access.entry for access in lowered.operands)
        parts = (i for i, access in enumerate(lowered.operands) if access.part is not None)
        self.displaced = tuple(parts)

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the kernel."""
        emit(self.kernel, name, module)

    def _streamed(self, facts: Facts) -> int | None:
        """The output to be written past the caches: one so large that it would be evicted before it is read."""
        for number in self._lasting:
            entry = self.lowered.operands[number].entry
            large = facts.bytes_of(entry) >= _STREAMED_FROM
            if large and facts.dtypes[entry].itemsize >= 4:
                return number
        return None

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The table of the kernel: extents and strides."""
        extents = self.lowered.extents(space_of(self.group, facts))
        found = []
        for access in self.lowered.operands:
            entry = access.entry
            size = facts.dtypes[entry].itemsize
            found.append(strides(access, facts.shapes[entry], size, self._part(access, facts)))
        return self.lowered.kernel.table(extents, found, self._grain(extents))

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
        extents = self.lowered.extents(space_of(self.group, facts))
        return self.lowered.kernel.units(extents, self._grain(extents))

    def _grain(self, extents: Sequence[int]) -> int:
        """How far along the last axis a unit goes: rows are cut where there would be few units otherwise."""
        kernel = self.lowered.kernel
        if kernel.row:
            return WHOLE
        deep = max(prod(extents[axis] for axis in kernel.swept), 1)
        cut = _UNIT // deep // _LEAST_GRAIN
        fine = if_at_least(cut, 1, cut, 1) * _LEAST_GRAIN
        kept = prod(extents[axis] for axis in kernel.kept)
        return if_at_least(kept, _MANY_UNITS, WHOLE, fine)

    def nanoseconds(self, facts: Facts) -> float:
        """The time for memory, and for each operator's instructions at each element."""
        elements, count = prod(space_of(self.group, facts)), 0
        for node in self.group.nodes:
            loop = loop_for(node, facts)
            assert loop is not None
            pairs = zip(node.inputs, loop.reads, strict=True)
            dtypes = [facts.dtypes[entry] for entry, read in pairs if read is not None]
            count += instructions_of(node.application, loop, dtypes)
        return super().nanoseconds(facts) + elements * count * NANOSECONDS_AN_INSTRUCTION

    def _fits(self, facts: Facts) -> bool:
        """Whether the strides that these shapes give are those that the operators mean."""
        loops = {node: loop_for(node, facts) for node in self.nest.group.nodes}
        return self.nest.fits(loops, facts)


def loop_for(node: Node, facts: Facts) -> Loop | None:
    """The node as a loop."""
    if node not in facts.known:
        kind = "loop", facts.kind_of(node)
        if kind not in facts.known:
            facts.known[kind] = loop_of(
                node.applied,
                [facts.shapes[e] for e in node.inputs],
                [facts.shapes[node.entry(i)] for i in range(node.output_count)],
            )
        facts.known[node] = facts.known[kind]
    found: Loop | None = facts.known[node]
    return found


def space_of(group: Group, facts: Facts) -> Shape:
    """The iteration space of a group for these shapes: of its first operator that is no point."""
    assert group.stages is not None
    node = next(n for n in group.nodes if group.stages.places[n].kind != "point")
    loop = loop_for(node, facts)
    assert loop is not None
    return loop.space
