"""The functions that call the steps of a graph one after the other.

A loop reads the calls from a table: as code, the calls of a large net took LLVM as long to compile as its
kernels.
"""

import time
from collections.abc import Sequence

from gluonic.codegen.launch.argument_table import CHUNK, NEXT, THREADS, UNITS, WORKSPACE
from gluonic.codegen.launch.launch import SHARE
from gluonic.codegen.loops.steps import Step
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.support.record import record

_CALL, _OPERAND = "{ ptr, i64, i64, i64, i64 }", "{ i32, i32 }"
_AT_ONCE = 4
"""The number of addresses gathered at a time: loops with fewer different counts are predicted better."""


@record
class StepCall:
    """The calls of a step's function.

    Attributes
    ----------
    function : its name
    step : the step
    slots : the slots of its operands' addresses
    begin : the index of its displacements in the table; its phases follow
    count : number of numbers of each phase
    """

    function: str
    step: Step
    slots: Sequence[int]
    begin: int
    count: int

    def row(self) -> str:
        """The function, the index and the count of its numbers, its phases, its operands."""
        start = self.begin + len(self.step.displaced)
        numbers = (start, self.count, self.step.phases, len(self.slots))
        return f"{_CALL} {{ ptr @{self.function}, {', '.join(f'i64 {n}' for n in numbers)} }}"

    def operands(self) -> list[str]:
        """For each operand, its slot and the table index of its displacement in bytes; 0 if it has none."""
        displaced = {p: self.begin + i for i, p in enumerate(self.step.displaced)}
        found = [(slot, displaced.get(position, 0)) for position, slot in enumerate(self.slots)]
        found += [(0, 0)] * (-len(found) % _AT_ONCE)
        return [f"{_OPERAND} {{ i32 {slot}, i32 {number} }}" for slot, number in found]


def emit_run(module: LLVMModule, name: str, calls: Sequence[StepCall]) -> None:
    """Write ``void run(ptr slots, ptr table)``, which gathers each step's addresses and calls it."""
    _RunWriter(module, name, calls).write()


def emit_run_in_parts(
    module: LLVMModule, name: str, calls: Sequence[StepCall], *, timed: bool
) -> None:
    """Write ``void run(ptr slots, ptr table, i64 first, i64 end, i64 operand)``, which calls some of the steps.

    `operand` is the index of the first one's operands. If it is `timed`, the function also takes the address of
    the times before each step and after the last.
    """
    _RunWriter(module, name, calls, in_parts=True, timed=timed).write()


class _RunWriter:
    """Writes one such function."""

    def __init__(
        self,
        module: LLVMModule,
        name: str,
        calls: Sequence[StepCall],
        *,
        in_parts: bool = False,
        timed: bool = False,
    ) -> None:
        arguments = ["ptr %slots", "ptr %table"]
        self.first, self.end, self.operand = "0", str(len(calls)), ""
        if in_parts:
            self.first, self.end, self.operand = "%first", "%end", "%operand"
            arguments += ["i64 %first", "i64 %end", "i64 %operand"]
        arguments += ["ptr %times"] if timed else []
        self.f, self.timed = LLVMFunction(module, name, arguments, passes_on=True), timed
        rows, operands = [c.row() for c in calls], [x for c in calls for x in c.operands()]
        self.calls = module.constant(f"{name}.calls", _CALL, rows)
        self.sources = module.constant(f"{name}.operands", _OPERAND, operands)
        most = max((len(call.slots) for call in calls), default=0)
        self.operands = self.f.slot(f"[{most + _AT_ONCE} x ptr]")
        self.source = self.f.slot("ptr", 8)

    def write(self) -> None:
        """Write the loop over the calls."""
        f = self.f
        begin = f.offset(self.sources, self.operand, _OPERAND) if self.operand else self.sources
        f.store("ptr", begin, self.source)
        with f.loop(self.first, self.end) as index:
            if self.timed:
                self._note_time(index)
            call = f.offset(self.calls, index, _CALL)
            function = f.load("ptr", call)
            start, count, phases, operands = (self._member(call, i) for i in range(1, 5))
            self._gather(operands)
            step = f.add(count, NEXT)
            with f.loop("0", phases) as phase:
                first = f.add(start, f.mul(phase, step))
                self._call(function, first, count, operands)
        if self.timed:
            self._note_time(self.end)
        f.finish()

    def _member(self, call: str, number: int) -> str:
        address = self.f.op(f"getelementptr {_CALL}, ptr {call}, i64 0, i32 {number}")
        return self.f.load("i64", address)

    def _note_time(self, index: str) -> None:
        """Store the time: seconds, and nanoseconds."""
        clock = self.f.module.import_function("clock_gettime", "i32", ["i32", "ptr"])
        entry = self.f.sub(index, self.first)
        entry = self.f.offset("%times", entry, "[2 x i64]")
        self.f.op(f"call i32 {clock}(i32 {time.CLOCK_MONOTONIC}, ptr {entry})")

    def _number(self, pointer: str, offset: int = 0) -> str:
        address = self.f.offset(pointer, offset, "i64")
        return self.f.load("i64", address)

    def _gather(self, count: str) -> None:
        """Copy the addresses of the operands to consecutive memory."""
        f = self.f
        with f.loop("0", count, _AT_ONCE) as position:
            source = f.load("ptr", self.source)
            goal = f.offset(self.operands, position, "ptr")
            for number in range(_AT_ONCE):
                here = f.offset(source, number, _OPERAND)
                there = f.offset(goal, number, "ptr")
                f.store("ptr", self._address(here), there)
            following = f.offset(source, _AT_ONCE, _OPERAND)
            f.store("ptr", following, self.source)

    def _address(self, operand: str) -> str:
        """The address of an operand."""
        f = self.f
        slot = f.load("i32", operand)
        address = f.op(f"getelementptr ptr, ptr %slots, i32 {slot}")
        address = f.load("ptr", address)
        number = f.op(f"getelementptr {_OPERAND}, ptr {operand}, i64 0, i32 1")
        number = f.load("i32", number)
        bytes_on = self._number(f.op(f"getelementptr i64, ptr %table, i32 {number}"))
        is_displaced = f.compare("ne", number, SHARE, "i32")
        bytes_on = f.select(is_displaced, bytes_on, 0)
        return f.offset(address, bytes_on)

    def _call(self, function: str, start: str, count: str, slots: str) -> None:
        """Call the step for all units; if a chunk has fewer, let the workers share it."""
        f, operands = self.f, self.operands
        numbers = f.offset("%table", start, "i64")
        after = f.offset(numbers, count, "i64")
        units, chunk = self._number(after, UNITS), self._number(after, CHUNK)
        whole = f.compare("sge", chunk, units)
        with f.when(whole):
            f.run(function, ("ptr", operands), ("ptr", numbers), ("i64", 0), ("i64", units))
        with f.when(f.negated(whole)):
            share = f.load("ptr", f.offset("%table", SHARE, "i64"))
            threads, workspace = self._number(after, THREADS), self._number(after, WORKSPACE)
            pointers = [("ptr", pointer) for pointer in (function, operands, numbers)]
            sizes = [("i64", size) for size in (units, chunk, threads, slots, workspace)]
            f.run(share, *pointers, *sizes)
