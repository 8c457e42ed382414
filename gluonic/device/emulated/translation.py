"""Functions of PTX as Python functions that run them on arrays of threads: text made once, then compiled.

Registers are local variables of that function, and each block of instructions is a branch of one loop. A
register that is used in one block alone needs no mask; others keep the values of threads that do not run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from gluonic.device.emulated import atomics, matrices, warpgroups, warps
from gluonic.device.emulated.batch import BlockBatch
from gluonic.device.emulated.effects import EffectText
from gluonic.device.emulated.flow import END, Flow
from gluonic.device.emulated.formats import Array
from gluonic.device.emulated.registers import read_registers, written_registers
from gluonic.device.emulated.syntax import (
    Immediate,
    Instruction,
    Operand,
    PtxFunction,
    SymbolOperand,
)

Parameters = dict[tuple[str, int], Array]
Compiled = Callable[[BlockBatch, Flow, Parameters], None]

_ENDS = {"bra", "brx", "ret", "exit", "trap", "bar", "barrier"}
_WAITS = {"mbarrier.try_wait", "mbarrier.test_wait"}
_NAMES = {
    "where": np.where,
    "shuffle": warps.shuffle,
    "vote": warps.vote,
    "ballot": warps.ballot,
    "active_lanes": warps.active_lanes,
    "match": warps.match,
    "reduce": warps.reduce,
    "reduce_block": warps.reduce_block,
    "atomic": atomics.atomic,
    "load_matrix": matrices.load_matrix,
    "multiply": matrices.multiply,
    "multiply_in_groups": warpgroups.multiply_in_groups,
}


def translate(
    function: PtxFunction,
    addresses: dict[str, int],
    functions: Mapping[str, PtxFunction],
    compiled: Mapping[str, Compiled],
) -> Compiled:
    """Compile a function.

    Parameters
    ----------
    addresses : of variables, each in its own space
    functions, compiled : those that it may call

    Raises
    ------
    NotImplementedError
        if it has an instruction that is not known here
    """
    starts = _starts(function)
    text = _FunctionText(function, addresses, _kept(function, starts), functions, starts)
    source = text.text()
    scope = {**text.scope, **_NAMES, "calls": compiled}
    exec(compile(source, f"<PTX {function.name}>", "exec"), scope)
    run: Compiled = scope["run"]
    return run


def _starts(function: PtxFunction) -> list[int]:
    """The indices of the instructions that start a block."""
    code = function.code
    after = (i + 1 for i, item in enumerate(code) if _is_end(item))
    return sorted({0, *function.labels.values(), *after} - {len(code)})


def _is_end(item: Instruction) -> bool:
    parts = item.opcode.split(".")
    return parts[0] in _ENDS or ".".join(parts[:2]) in _WAITS


def _kept(function: PtxFunction, starts: Sequence[int]) -> set[str]:
    """The registers that are read in another block than sets them, or that a guard may leave."""
    blocks_of: dict[str, set[int]] = defaultdict(set)
    assigned: set[tuple[str, int]] = set()
    kept: set[str] = set()
    block = 0
    for index, item in enumerate(function.code):
        block += block + 1 < len(starts) and index == starts[block + 1]
        written, read = written_registers(item), read_registers(item)
        for register in written | read:
            blocks_of[register].add(block)
        kept |= {register for register in read if (register, block) not in assigned}
        if item.guard is not None:
            kept |= written
        assigned |= {(register, block) for register in written}
    return kept | {register for register, blocks in blocks_of.items() if len(blocks) > 1}


class _FunctionText(EffectText):
    """The text of a whole function.

    Parameters
    ----------
    starts : the indices of the instructions that start a block
    """

    def __init__(
        self,
        function: PtxFunction,
        addresses: dict[str, int],
        kept: set[str],
        functions: Mapping[str, PtxFunction],
        starts: Sequence[int],
    ) -> None:
        super().__init__(function, addresses, kept, functions)
        self.starts = starts
        self.block_of = {start: number for number, start in enumerate(starts)}

    def text(self) -> str:
        """All of it."""
        blocks = []
        code = self.function.code
        ends = [*self.starts[1:], len(code)]
        for number, (start, end) in enumerate(zip(self.starts, ends, strict=True)):
            self.start_block()
            following = number + 1 if number + 1 < len(self.starts) else END
            for item in code[start:end]:
                self._instruction(item, following)
            if start == end or not _is_end(code[end - 1]):
                self.finish_block()
                self.emit(f"pc, m, a = {_going(following)}")
            blocks.append(self.lines)
        kept = [
            f" {self.names[name]} = {self.initial(name)}"
            for name in self.names
            if name in self.kept
        ]
        start_lines = ["def run(c, f, P):", " S, M = c.special, c.memory", " m, a = None, f.mask"]
        return "\n".join([*start_lines, *kept, " pc = 0", " while pc >= 0:", *_tree(blocks, 0, 2)])

    def destination(self, label: Operand) -> int:
        """The number of the block that a label marks; the end where nothing follows it."""
        if not isinstance(label, SymbolOperand) or label.name not in self.function.labels:
            raise self.unknown(f"{label}, which is no label")
        return self.block_of.get(self.function.labels[label.name], END)

    def _instruction(self, item: Instruction, following: int) -> None:
        self.current = item
        if _is_end(item):
            self.finish_block()
            self._flow(item, following)
        elif item.guard is not None:
            self.guard(self.read(item.guard, "pred"), lambda: self.effect(item))
        else:
            self.effect(item)

    def _flow(self, item: Instruction, following: int) -> None:
        name = item.opcode.split(".")[0]
        if name == "bra":
            self._leave(item, self.destination(item.operands[0]), following)
        elif name == "brx":
            table = item.operands[1]
            if not isinstance(table, SymbolOperand):
                raise self.unknown("its table")
            targets = [
                self.destination(SymbolOperand(label)) for label in self.function.tables[table.name]
            ]
            self.emit(f"pc, m, a = f.jump({self.bits(item.operands[0], 32)}, {targets})")
        elif name in ("ret", "exit"):
            if name == "exit" and not self.function.is_kernel:
                raise self.unknown("in a function that is called")
            self._leave(item, END, following)
        elif name == "trap":
            guard = (
                "f.full()" if item.guard is None else f"f.full() & {self.read(item.guard, 'pred')}"
            )
            self.emit(f"c.trap({guard}, {item.line})")
            self.emit(f"pc, m, a = {_going(following)}")
        elif name == "mbarrier":
            self._wait(item, following)
        elif "warp" in item.opcode.split("."):
            if following == END:
                raise self.unknown("nothing follows")
            self.emit(f"pc, m, a = f.converge({item.line}, {following})")
        else:
            self._barrier(item, following)

    def _leave(self, item: Instruction, target: int, following: int) -> None:
        """Go to a block, or go on where a guard does not hold."""
        if item.guard is None:
            self.emit(f"pc, m, a = {_going(target)}")
        else:
            self.emit(
                f"pc, m, a = f.branch({self.read(item.guard, 'pred')}, {target}, {following})"
            )

    def _wait(self, item: Instruction, following: int) -> None:
        """Threads wait at once for what they would ask for again and again."""
        if "try_wait" not in item.opcode or "parity" not in item.opcode or item.guard is not None:
            raise self.unknown("this way to wait")
        target, source, parity = item.operands
        self.write(target, self.immediate(Immediate(1), "pred"), "pred")
        where = f"{self.address(source, 'shared')}, {self.bits(parity, 32)}"
        holds = f"lambda x=({where}): c.transactions.are_past(*x, {item.line})"
        self.emit(f"pc, m, a = f.stall({holds}, {item.line}, {following})")

    def _barrier(self, item: Instruction, following: int) -> None:
        parts = item.opcode.split(".")
        if item.guard is not None:
            raise self.unknown("barriers that not all threads reach")
        if "red" not in parts and len(item.operands) == 2 and following != END:
            numbers, expected = (self.bits(operand, 32) for operand in item.operands)
            waits = "arrive" not in parts
            self.emit(
                f"pc, m, a = f.meet({numbers}, {expected}, {item.line}, {following}, waits={waits})"
            )
            return
        if "red" in parts:
            target, condition = item.operands[0], item.operands[-1]
            mode = parts[parts.index("red") + 1]
            holds = self.read(condition, "pred")
            result = f"reduce_block(c, {mode!r}, {holds}, a, {item.line})"
            self.write(target, result, parts[-1])
        elif len(item.operands) > 1:
            raise self.unknown("barriers of some of the threads")
        if following == END:
            raise self.unknown("nothing follows")
        self.emit(f"pc, m, a = f.barrier({item.line}, {following})")


def _going(target: int) -> str:
    """The text that goes to a block."""
    return "f.end()" if target == END else f"f.go({target})"


def _tree(blocks: Sequence[Sequence[str]], first: int, indent: int) -> list[str]:
    """The text that runs the block with the number `pc`, by halving."""
    space = " " * indent
    if len(blocks) == 1:
        return [space + line for line in blocks[0]] or [f"{space}pass"]
    middle = len(blocks) // 2
    return [
        f"{space}if pc < {first + middle}:",
        *_tree(blocks[:middle], first, indent + 1),
        f"{space}else:",
        *_tree(blocks[middle:], first + middle, indent + 1),
    ]
