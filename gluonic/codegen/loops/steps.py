"""Native steps: a run of machine code is a sequence of steps, each one function call.

A step writes its function into the graph's module, ``void step(char** operands, const int64_t* numbers,
int64_t begin, int64_t end)``, as for kernels (see :mod:`gluonic.codegen.loops.kernel`). Sizes are run-time
arguments, so one function serves all shapes of a pattern.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace
from math import prod

from gluonic.codegen.loops.costs import NANOSECONDS_A_BYTE, NANOSECONDS_AN_INSTRUCTION
from gluonic.codegen.loops.emission import emit_kernel
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
"""From this size in bytes on, an output does not fit a core's share of the last-level cache."""
WHOLE = 1 << 40
"""A grain that no axis exceeds: rows are not divided."""
_MANY_UNITS = 64
"""From this number on, units need not be divided further."""
_UNIT, _LEAST_GRAIN = 1 << 14, 256
"""The typical and the least number of elements of a unit; multiples of all processors' registers."""


Code = tuple[Callable[..., None], *tuple[Hashable, ...]]
"""The callable that writes a function, with its arguments; equal ones write equal functions."""


class Step(ABC):
    """A piece of machine code that runs on a few arrays.

    It is created with facts that record guards; its function is valid for all facts that satisfy them.

    Attributes
    ----------
    operands : the results whose addresses the function gets, in its order
    displaced : the operands whose address is not that of the first element but has an offset (`displacements`)
    keeps : whether its output must persist until the next call; it is zero at the first call
    may_bail_out : whether it may have to leave the call to the interpreter, for instance to raise an error: the
        function gets the address of a number after its operands, and sets it to 1
    goes_on : whether a step that may bail out is right to go on where nobody can look: it bails out only for
        numbers out of range, and clips them
    is_foreign : whether external code runs, which may have effects other than filling its results
    uses_workspace : whether another address follows, of `workspace` bytes of scratch memory of the thread
    has_common_workspace : whether all threads share that scratch memory
    phases : number of calls of the function, one after the other, each with its own numbers
    code : the callable that writes the function, and its arguments after module and name, if these determine it
    """

    operands: tuple[Entry, ...]
    uses_workspace: bool = False
    may_bail_out: bool = False
    goes_on: bool = False
    is_foreign: bool = False
    has_common_workspace: bool = False
    phases: int = 1
    code: Code | None = None
    keeps: bool = False
    displaced: tuple[int, ...] = ()

    def emit(self, module: LLVMModule, name: str) -> None:
        """Write the function, named `name`; by default by its `code`."""
        assert self.code is not None
        write, *arguments = self.code
        write(module, name, *arguments)

    @abstractmethod
    def numbers(self, facts: Facts) -> Sequence[int]:
        """The run-time arguments for these shapes: the same number for each phase and for all shapes."""

    def units(self, facts: Facts) -> int:
        """The number of units of work; they may run in any order."""
        return 1

    def phase_units(self, facts: Facts) -> Sequence[int]:
        """The number of units of work of each phase."""
        return (self.units(facts),)

    def nanoseconds(self, facts: Facts) -> float:
        """An estimate of one thread's time in nanoseconds; by default for a step that mostly moves memory."""
        return sum(facts.bytes_of(entry) for entry in self.operands) * NANOSECONDS_A_BYTE

    def workspace(self, facts: Facts) -> int:
        """The scratch memory, in bytes, that a thread needs for its units."""
        return 0

    def displacements(self, facts: Facts) -> Sequence[int]:
        """The offset in bytes of each of the displaced operands."""
        return ()


class LoopStep(Step):
    """A fused group: one loop nest.

    Parameters
    ----------
    nest : the operators and their kernel
    facts : the shapes and dtypes that it is written for
    lasting : the results in persistent buffers, to which nothing else is written
    """

    def __init__(self, nest: LoopNest, facts: Facts, lasting: Collection[Entry] = ()) -> None:
        self.nest, self.group, self.lowered = nest, nest.group, nest.lowered
        lowered = nest.lowered
        self._lasting = [k for k in lowered.written_once if lowered.operands[k].entry in lasting]
        self.kernel = replace(lowered.kernel, streamed=facts.decide(self._streamed))
        self.code = emit_kernel, self.kernel
        facts.require(self._fits)
        self.operands = tuple(access.entry for access in lowered.operands)
        parts = (i for i, access in enumerate(lowered.operands) if access.part is not None)
        self.displaced = tuple(parts)

    def _streamed(self, facts: Facts) -> int | None:
        """The output to write with streaming stores: one too large to stay in the caches until it is read."""
        for number in self._lasting:
            entry = self.lowered.operands[number].entry
            large = facts.bytes_of(entry) >= _STREAMED_FROM
            if large and facts.dtypes[entry].itemsize >= 4:
                return number
        return None

    def numbers(self, facts: Facts) -> Sequence[int]:
        """The table of the kernel: extents and strides."""
        extents, found = self.sizes(facts)
        return self.lowered.kernel.table(extents, found, self._grain(extents))

    def sizes(self, facts: Facts) -> tuple[list[int], list[list[int]]]:
        """The extents of the kernel's axes, and for each operand its strides in bytes."""
        extents = self.lowered.extents(space_of(self.group, facts))
        found = []
        for access in self.lowered.operands:
            entry = access.entry
            size = facts.dtypes[entry].itemsize
            found.append(strides(access, facts.shapes[entry], size, self._part(access, facts)))
        return extents, found

    @staticmethod
    def _part(access: Access, facts: Facts) -> Read | None:
        """The part of an operand that is read."""
        if access.part is None:
            return None
        node, position = access.part
        loop = loop_for(node, facts)
        assert loop is not None
        return loop.reads[position]

    def displacements(self, facts: Facts) -> Sequence[int]:
        """The offsets of the parts that are read."""
        found = []
        for position in self.displaced:
            access = self.lowered.operands[position]
            read, size = self._part(access, facts), facts.dtypes[access.entry].itemsize
            assert read is not None
            found.append(offset(facts.shapes[access.entry], size, read))
        return found

    def units(self, facts: Facts) -> int:
        """The number of the kernel's units of work."""
        extents = self.lowered.extents(space_of(self.group, facts))
        return self.lowered.kernel.units(extents, self._grain(extents))

    def _grain(self, extents: Sequence[int]) -> int:
        """The length of a unit along the last axis: rows are divided if there would be few units otherwise."""
        kernel = self.lowered.kernel
        if kernel.row:
            return WHOLE
        deep = max(prod(extents[axis] for axis in kernel.swept), 1)
        cut = _UNIT // deep // _LEAST_GRAIN
        fine = if_at_least(cut, 1, cut, 1) * _LEAST_GRAIN
        kept = prod(extents[axis] for axis in kernel.kept)
        return if_at_least(kept, _MANY_UNITS, WHOLE, fine)

    def nanoseconds(self, facts: Facts) -> float:
        """An estimate: the time for memory, and for the instructions of each operator per element."""
        elements, count = prod(space_of(self.group, facts)), 0
        for node in self.group.nodes:
            loop = loop_for(node, facts)
            assert loop is not None
            pairs = zip(node.inputs, loop.reads, strict=True)
            dtypes = [facts.dtypes[entry] for entry, read in pairs if read is not None]
            count += loop.program(dtypes).length
        return super().nanoseconds(facts) + elements * count * NANOSECONDS_AN_INSTRUCTION

    def _fits(self, facts: Facts) -> bool:
        """Whether these shapes give the strides that the operators expect."""
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
    """The iteration space of a group for these shapes: that of its first operator that is not a point."""
    assert group.stages is not None
    node = next(n for n in group.nodes if group.stages.domains[n].kind != "point")
    loop = loop_for(node, facts)
    assert loop is not None
    return loop.space
