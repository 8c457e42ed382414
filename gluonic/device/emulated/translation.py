"""Functions of PTX as Python functions that run them on arrays of threads: text made once, then compiled.

Registers are local variables of that function, and each block of instructions is a branch of one loop. A
register that is used in one block alone needs no mask; others keep the values of threads that do not run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gluonic.device.emulated import atomics, matrices, warps
from gluonic.device.emulated.batch import Batch
from gluonic.device.emulated.flow import END, Flow
from gluonic.device.emulated.formats import Array, bits_of, reader, register_bits, unsigned, writer
from gluonic.device.emulated.instructions import COMBINATIONS, comparison, meaning, split
from gluonic.device.emulated.memory import LOCAL_WINDOW, SHARED_WINDOW
from gluonic.device.emulated.parser import (
    Address,
    Function,
    Immediate,
    Instruction,
    Operand,
    Register,
    Symbol,
    Vector,
    type_size,
)
from gluonic.device.errors import DeviceError
from gluonic.graph.errors import describe

Parameters = dict[tuple[str, int], Array]
Compiled = Callable[[Batch, Flow, Parameters], None]

_ENDS = {"bra", "brx", "ret", "exit", "trap", "bar", "barrier"}
_SPACES = {"global", "shared", "local", "const", "param"}
_ORDERED = {"volatile", "relaxed", "acquire", "release", "mmio"}
_NO_EFFECT = {
    "membar",
    "fence",
    "prefetch",
    "prefetchu",
    "nanosleep",
    "griddepcontrol",
    "pragma",
    "discard",
}


def translate(
    function: Function,
    addresses: Mapping[str, int],
    functions: Mapping[str, Function],
    compiled: Mapping[str, Compiled],
) -> Compiled:
    """Compile a function.

    Parameters
    ----------
    addresses : of variables, each in its own space
    functions, compiled : those that it may call
    """
    return _Translation(function, addresses, functions, compiled).compiled()


class _Translation:
    def __init__(
        self,
        function: Function,
        addresses: Mapping[str, int],
        functions: Mapping[str, Function],
        compiled: Mapping[str, Compiled],
    ) -> None:
        self.function, self.addresses, self.functions = function, addresses, functions
        self.names = {name: f"r{number}" for number, name in enumerate(function.registers)}
        self.scope: dict[str, Any] = {
            "where": np.where,
            "calls": compiled,
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
            "zero": np.uint32(0),
        }
        self.constants: dict[Any, str] = {}
        self.lines: list[str] = []
        self.starts = self._starts()
        self.block_of = {start: number for number, start in enumerate(self.starts)}
        self.kept = self._kept()

    def _starts(self) -> list[int]:
        """The indices of the instructions that start a block."""
        code = self.function.code
        after = (i + 1 for i, item in enumerate(code) if item.opcode.split(".")[0] in _ENDS)
        return sorted({0, *self.function.labels.values(), *after} - {len(code)})

    def _kept(self) -> set[str]:
        """The registers that are read in another block than sets them, or that a guard may leave."""
        seen: dict[str, set[int]] = defaultdict(set)
        assigned: set[tuple[str, int]] = set()
        kept: set[str] = set()
        block = -1
        for index, item in enumerate(self.function.code):
            block = self.block_of.get(index, block)
            written = _written(item)
            for register in _registers(item):
                seen[register].add(block)
                if register not in written and (register, block) not in assigned:
                    kept.add(register)
            for register in written:
                if item.guard is not None:
                    kept.add(register)
                if (register, block) not in assigned and register in _registers(item, reads=True):
                    kept.add(register)
                assigned.add((register, block))
        return kept | {register for register, blocks in seen.items() if len(blocks) > 1}

    # -- text -------------------------------------------------------------------------------------

    def compiled(self) -> Compiled:
        blocks = []
        ends = [*self.starts[1:], len(self.function.code)]
        for number, (start, end) in enumerate(zip(self.starts, ends, strict=True)):
            self.lines = []
            following = number + 1 if number + 1 < len(self.starts) else END
            for item in self.function.code[start:end]:
                self._instruction(item, following)
            if start == end or self.function.code[end - 1].opcode.split(".")[0] not in _ENDS:
                self.emit(f"pc, m, a = {_going(following)}")
            blocks.append(self.lines)
        body = ["def run(c, f, P):", " S = c.special", " m, a = None, f.mask"]
        for register in sorted(self.kept):
            if register in self.names:
                body.append(
                    f" {self.names[register]} = {self._initial(self.function.registers[register])}"
                )
        body += [" pc = 0", " while pc >= 0:", *_tree(blocks, 0, 2)]
        text = "\n".join(body)
        scope = dict(self.scope)
        exec(compile(text, f"<PTX {self.function.name}>", "exec"), scope)
        run: Compiled = scope["run"]
        return run

    def emit(self, line: str) -> None:
        self.lines.append(line)

    def constant(self, key: Any, value: Any) -> str:
        """The name of a constant of the function."""
        if key not in self.constants:
            name = f"k{len(self.constants)}"
            self.constants[key] = name
            self.scope[name] = value
        return self.constants[key]

    def _initial(self, kind: str) -> str:
        dtype = "?" if kind == "pred" else f"u{register_bits(kind) // 8}"
        return self.constant(("initial", dtype), np.zeros((1, 1), dtype))

    def kind(self, register: Register) -> str:
        """The type of a register."""
        kind = self.function.registers.get(register.name)
        if kind is None:
            kind = "b64" if register.name in ("%clock64", "%globaltimer") else "b32"
        return kind

    def bits(self, operand: Operand, bits: int) -> str:
        """An operand as unsigned integers of a size, in bits; 1 for a predicate."""
        return self.read(operand, "pred" if bits == 1 else f"b{bits}")

    def read(self, operand: Operand, kind: str) -> str:
        """An operand as an array of a type."""
        if isinstance(operand, Register):
            register = self.kind(operand)
            name = self.names.get(operand.name, f"S[{operand.name!r}]")
            if kind == "pred":
                return f"~{name}" if operand.negated else name
            size = bits_of(kind)
            if size > register_bits(register):
                raise self.unknown(f"{operand.name} is smaller than .{kind}")
            if (
                size == register_bits(register)
                and kind[0] in "ub"
                and kind not in ("bf16", "bf16x2")
            ):
                return name
            if (
                size == register_bits(register)
                and kind[0] in "sf"
                and size > 16
                and not kind.endswith("x2")
            ):
                letter = "i" if kind[0] == "s" else "f"
                return f"{name}.view('{letter}{size // 8}')"
            return f"{self.constant(('read', kind, register), reader(kind, register))}({name})"
        if isinstance(operand, Immediate):
            return self._immediate(operand, kind)
        if isinstance(operand, Symbol):
            return self._immediate(Immediate(self.address_of(operand)), kind)
        raise self.unknown(f"{operand} as an operand")

    def _immediate(self, operand: Immediate, kind: str) -> str:
        if kind == "pred":
            value = np.full((1, 1), bool(operand.value))
            return self.constant((kind, bool(operand.value)), value)
        size = bits_of(kind)
        raw = operand.value
        if operand.float_size and operand.float_size * 8 != size:
            number = np.array([raw], f"u{operand.float_size}").view(f"f{operand.float_size}")
            raw = int(number.astype(f"f{size // 8}").view(f"u{size // 8}")[0])
        register = f"b{max(16, size)}"
        bits = np.full((1, 1), raw % 2**size, unsigned(max(16, size)))
        return self.constant((kind, raw % 2**size), reader(kind, register)(bits))

    def address_of(self, symbol: Symbol) -> int:
        if symbol.name not in self.addresses:
            raise self.unknown(f"the symbol {symbol.name}")
        return self.addresses[symbol.name] + symbol.offset

    def write(self, target: Operand, value: str, kind: str) -> None:
        """Assign numbers of a type to a register."""
        if not isinstance(target, Register):
            raise self.unknown(f"{target} as a target")
        if target.name == "_":
            return
        register = self.kind(target)
        if kind != "pred":
            same = bits_of(kind) == register_bits(register)
            if same and kind[0] in "ub" and kind not in ("bf16", "bf16x2"):
                pass
            else:
                value = (
                    f"{self.constant(('write', kind, register), writer(kind, register))}({value})"
                )
        self.assign(target, value)

    def assign(self, target: Register, value: str) -> None:
        """Assign bits to a register."""
        name = self.names[target.name]
        if target.name in self.kept:
            self.emit(f"v = {value}")
            self.emit(f"{name} = v if m is None else where(m, v, {name})")
        else:
            self.emit(f"{name} = {value}")

    def unknown(self, what: str = "the whole instruction") -> NotImplementedError:
        """The error of what is not known here."""
        place = f"{self.function.name}: line {self.current.line} of the PTX"
        return NotImplementedError(
            f"{place}: {self.current.opcode}: the emulated GPU does not know {what}"
        )

    def destination(self, label: Operand) -> int:
        """The number of the block that a label marks; the end where nothing follows it."""
        if not isinstance(label, Symbol) or label.name not in self.function.labels:
            raise self.unknown(f"{label} is no label")
        return self.block_of.get(self.function.labels[label.name], END)

    # -- instructions -----------------------------------------------------------------------------

    def _instruction(self, item: Instruction, following: int) -> None:
        self.current = item
        opcode = split(item.opcode)
        if opcode.name in _ENDS:
            self._flow(item, following)
            return
        if item.guard is not None:
            self.emit("outer = m, a")
            self.emit(f"m = a = f.full() & {self.read(item.guard, 'pred')}")
            self.emit("if a.any():")
            start = len(self.lines)
            self._effect(item)
            self.lines[start:] = [" " + line for line in self.lines[start:]] or [" pass"]
            self.emit("m, a = outer")
        else:
            self._effect(item)

    def _effect(self, item: Instruction) -> None:
        opcode = split(item.opcode)
        handler = _HANDLERS.get(opcode.name)
        if handler is not None:
            handler(self, item)
            return
        if opcode.name in _NO_EFFECT:
            return
        computed = meaning(item.opcode)
        if computed is None:
            raise self.unknown()
        target, *operands = item.operands
        function = self.constant(("function", item.opcode), computed.function)
        sources = [
            self.read(operand, kind)
            for operand, kind in zip(operands, computed.sources, strict=True)
        ]
        self.write(target, f"{function}({', '.join(sources)})", computed.result)

    def _flow(self, item: Instruction, following: int) -> None:
        name = item.opcode.split(".")[0]
        if name == "bra":
            self._leave(item, self.destination(item.operands[0]), following)
        elif name == "brx":
            table = item.operands[1]
            if not isinstance(table, Symbol):
                raise self.unknown("its table")
            targets = [
                self.destination(Symbol(label)) for label in self.function.tables[table.name]
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
        elif "warp" in item.opcode.split("."):
            self.emit(f"pc, m, a = {_going(following)}")
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

    def _barrier(self, item: Instruction, following: int) -> None:
        parts = item.opcode.split(".")
        if item.guard is not None or "arrive" in parts:
            raise self.unknown("barriers that not all threads wait at")
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

    # -- moves ------------------------------------------------------------------------------------

    def move(self, item: Instruction) -> None:
        target, source = item.operands
        opcode = split(item.opcode)
        bits = bits_of(opcode.types[-1])
        if isinstance(target, Vector):
            part = bits // len(target.items)
            value = self.bits(source, bits)
            for number, register in enumerate(target.items):
                if isinstance(register, Register) and register.name != "_":
                    shift = self.constant(
                        ("shift", bits, number * part), unsigned(bits).type(number * part)
                    )
                    self.write(register, f"({value} >> {shift}).astype('u{part // 8}')", f"b{part}")
        elif isinstance(source, Vector):
            part = bits // len(source.items)
            terms = []
            for number, operand in enumerate(source.items):
                shift = self.constant(
                    ("shift", bits, number * part), unsigned(bits).type(number * part)
                )
                terms.append(f"({self.bits(operand, part)}.astype('u{bits // 8}') << {shift})")
            self.write(target, " | ".join(terms), f"b{bits}")
        else:
            kind = "pred" if bits == 1 else f"b{bits}"
            self.write(target, self.read(source, kind), kind)

    def compare(self, item: Instruction) -> None:
        opcode = split(item.opcode)
        kind = opcode.types[-1]
        target, *operands = item.operands
        function = self.constant(("compare", item.opcode), comparison(opcode))
        value = f"{function}({self.read(operands[0], kind)}, {self.read(operands[1], kind)})"
        combine = next((COMBINATIONS[m] for m in opcode.modifiers if m in COMBINATIONS), None)
        targets = target.items if isinstance(target, Vector) else (target,)
        if combine is None and len(targets) == 1:
            self.write(target, value, "pred")
            return
        self.emit(f"t = {value}")
        for value, one in zip(("t", "~t"), targets, strict=False):
            if combine is not None:
                name = self.constant(("combine", combine), combine)
                value = f"{name}({value}, {self.read(operands[2], 'pred')})"
            self.write(one, value, "pred")

    def convert_address(self, item: Instruction) -> None:
        parts = item.opcode.split(".")
        window = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}
        start = next((window[part] for part in parts if part in window), 0)
        if "to" in parts:
            start = -start
        value = self.bits(item.operands[1], 64)
        if start:
            value = f"{value} + {self._immediate(Immediate(start), 'b64')}"
        self.write(item.operands[0], value, "b64")

    def call(self, item: Instruction) -> None:
        groups = [operand for operand in item.operands if isinstance(operand, Vector)]
        callee = next((o for o in item.operands if isinstance(o, Symbol)), None)
        if callee is None or callee.name not in self.functions:
            raise self.unknown("only functions of the module can be called")
        function = self.functions[callee.name]
        first = isinstance(item.operands[0], Vector)
        results = groups[0].items if first else ()
        arguments = groups[1 if first else 0].items if len(groups) > first else ()
        passed = []
        for own, parameter in zip(arguments, function.parameters, strict=True):
            if isinstance(own, Symbol):
                passed.append((own.name, parameter.name))
        self.emit(f"Q = {{(y, o): v for x, y in {passed} for (n, o), v in P.items() if n == x}}")
        self.emit(f"calls[{callee.name!r}](c, f.callee(), Q)")
        for own, result in zip(results, function.results, strict=True):
            if isinstance(own, Symbol):
                self.emit(
                    f"P.update({{({own.name!r}, o): v for (n, o), v in Q.items() if n == {result.name!r}}})"
                )

    # -- memory -----------------------------------------------------------------------------------

    def address(self, operand: Operand, space: str) -> str:
        """The addresses that an operand means, as 64-bit integers."""
        if not isinstance(operand, Address):
            raise self.unknown(f"{operand} is no address")
        if isinstance(operand.base, Symbol):
            return self._immediate(Immediate(self.address_of(operand.base) + operand.offset), "b64")
        if isinstance(operand.base, Immediate):
            return self._immediate(Immediate(operand.base.value + operand.offset), "b64")
        size = register_bits(self.kind(operand.base))
        value = self.bits(operand.base, size)
        if operand.offset:
            value = f"({value} + {self._immediate(Immediate(operand.offset), f'b{size}')})"
        return value if size == 64 else f"{value}.astype('u8')"

    def _access(self, opcode: str) -> tuple[str, str, str]:
        """The space of an access, its type, and its mode."""
        parts = opcode.split(".")
        space = next((part.split("::")[0] for part in parts if part.split("::")[0] in _SPACES), "")
        mode = "nc" if "nc" in parts else "ordered" if _ORDERED & set(parts) else ""
        return space, split(opcode).types[-1], mode

    def load(self, item: Instruction) -> None:
        space, kind, mode = self._access(item.opcode)
        target, source = item.operands
        targets = target.items if isinstance(target, Vector) else (target,)
        if space == "param":
            self._load_parameter(targets, source, kind)
            return
        size = type_size(kind)
        stored = kind if kind[0] == "s" else f"b{size * 8}"
        where = self.address(source, space)
        self.emit(
            f"q = c.load({space!r}, {where}, {size}, {len(targets)}, a, {item.line}, {mode!r})"
        )
        for number, register in enumerate(targets):
            value = f"q[{number}].view('i{size}')" if kind[0] == "s" else f"q[{number}]"
            self.write(register, value, stored)

    def _load_parameter(self, targets: Sequence[Operand], source: Operand, kind: str) -> None:
        if not isinstance(source, Address) or not isinstance(source.base, Symbol):
            raise self.unknown("parameters at computed addresses")
        size = type_size(kind)
        for number, register in enumerate(targets):
            key = (source.base.name, source.offset + number * size)
            value = f"P[{key!r}].astype('u{size}')"
            self.write(
                register,
                f"{value}.view('i{size}')" if kind[0] == "s" else value,
                kind if kind[0] == "s" else f"b{size * 8}",
            )

    def store(self, item: Instruction) -> None:
        space, kind, mode = self._access(item.opcode)
        target, source = item.operands
        sources = source.items if isinstance(source, Vector) else (source,)
        size = type_size(kind)
        values = [self.bits(operand, size * 8) for operand in sources]
        if space == "param":
            if not isinstance(target, Address) or not isinstance(target.base, Symbol):
                raise self.unknown("parameters at computed addresses")
            for number, value in enumerate(values):
                key = (target.base.name, target.offset + number * size)
                old = self.constant(("initial", f"u{size}"), np.zeros((1, 1), f"u{size}"))
                self.emit(f"v = {value}")
                self.emit(f"P[{key!r}] = v if m is None else where(m, v, P.get({key!r}, {old}))")
            return
        where, listed = self.address(target, space), ", ".join(values)
        self.emit(f"c.store({space!r}, {where}, {size}, [{listed}], a, {item.line}, {mode!r})")

    def atomic(self, item: Instruction) -> None:
        space, kind, _ = self._access(item.opcode)
        opcode = split(item.opcode)
        name = next((m for m in opcode.modifiers if m in atomics.NAMES), "")
        if not name:
            raise self.unknown("this atomic operation")
        operands = list(item.operands)
        target = operands.pop(0) if opcode.name == "atom" else None
        register = f"b{max(16, bits_of(kind))}"
        values = [self.bits(operand, bits_of(kind)) for operand in operands[1:]]
        converters = (
            self.constant(("read", kind, register), reader(kind, register)),
            self.constant(("write", kind, register), writer(kind, register)),
        )
        read_later = isinstance(target, Register) and target.name in self._reads()
        where = self.address(operands[0], space)
        text = (
            f"atomic(c, {name!r}, {space!r}, {where}, {bits_of(kind) // 8}, [{', '.join(values)}], "
            f"{', '.join(converters)}, a, {item.line}, {read_later})"
        )
        if read_later and target is not None:
            self.write(target, text, f"b{bits_of(kind)}")
        else:
            self.emit(text)

    def _reads(self) -> set[str]:
        """The registers that some instruction reads."""
        return {name for item in self.function.code for name in _registers(item, reads=True)}

    # -- warps ------------------------------------------------------------------------------------

    def shuffled(self, item: Instruction) -> None:
        target, value, distance, limits, mask = item.operands
        targets = target.items if isinstance(target, Vector) else (target,)
        arguments = ", ".join(self.bits(operand, 32) for operand in (value, distance, limits, mask))
        self.emit(f"w, t = shuffle(c, {item.opcode.split('.')[2]!r}, {arguments}, a, {item.line})")
        self.write(targets[0], "w", "b32")
        if len(targets) > 1:
            self.write(targets[1], "t", "pred")

    def voted(self, item: Instruction) -> None:
        target, condition, mask = item.operands
        mode = item.opcode.split(".")[2]
        arguments = f"{self.read(condition, 'pred')}, {self.bits(mask, 32)}, a, {item.line}"
        if mode == "ballot":
            self.write(target, f"ballot(c, {arguments})", "b32")
        else:
            self.write(target, f"vote(c, {mode!r}, {arguments})", "pred")

    def active(self, item: Instruction) -> None:
        self.write(item.operands[0], "active_lanes(c, a)", "b32")

    def matched(self, item: Instruction) -> None:
        target, value, mask = item.operands
        targets = target.items if isinstance(target, Vector) else (target,)
        opcode = split(item.opcode)
        self.emit(
            f"w, t = match(c, {opcode.modifiers[0]!r}, {self.bits(value, bits_of(opcode.types[-1]))}, "
            f"{self.bits(mask, 32)}, a, {item.line})"
        )
        self.write(targets[0], "w", "b32")
        if len(targets) > 1:
            self.write(targets[1], "t", "pred")

    def reduced(self, item: Instruction) -> None:
        target, value, mask = item.operands
        opcode = split(item.opcode)
        name = next(m for m in opcode.modifiers if m != "sync")
        kind = opcode.types[-1]
        self.write(
            target,
            f"reduce(c, {name!r}, {self.read(value, kind)}, {self.bits(mask, 32)}, a, {item.line})",
            kind,
        )

    # -- copies, matrices -------------------------------------------------------------------------

    def copied(self, item: Instruction) -> None:
        parts = item.opcode.split(".")
        if "bulk" in parts or "mbarrier" in parts:
            raise self.unknown()
        if "commit_group" in parts:
            self.emit("c.commit_copies()")
        elif "wait_group" in parts or "wait_all" in parts:
            pending = item.operands[0] if item.operands else Immediate(0)
            if not isinstance(pending, Immediate):
                raise self.unknown("a computed number of groups")
            self.emit(f"c.finish_copies({pending.value})")
        else:
            to, source, size, *rest = item.operands
            if not isinstance(size, Immediate):
                raise self.unknown("a computed size")
            used = self.bits(rest[0], 32) if rest else "None"
            where = f"{self.address(to, 'shared')}, {self.address(source, 'global')}"
            self.emit(f"c.copy({where}, {size.value}, {used}, a, {item.line})")

    def load_matrices(self, item: Instruction) -> None:
        target, source = item.operands
        if not isinstance(target, Vector):
            target = Vector((target,))
        parts = item.opcode.split(".")
        if "m8n8" not in parts or "b16" not in parts:
            raise self.unknown("this shape")
        where, count = self.address(source, "shared"), len(target.items)
        self.emit(f"q = load_matrix(c, {where}, {count}, {'trans' in parts}, a, {item.line})")
        for number, register in enumerate(target.items):
            self.write(register, f"q[{number}]", "b32")

    def multiplied(self, item: Instruction) -> None:
        shape = matrices.fragments(item.opcode)
        if shape is None:
            raise self.unknown("this product of matrices")
        groups = [operand.items for operand in item.operands if isinstance(operand, Vector)]
        if len(groups) != 4:
            raise self.unknown("this form")
        target, *sources = groups
        texts = [f"[{', '.join(self.bits(o, 32) for o in group)}]" for group in sources]
        self.emit(
            f"q = multiply(c, {self.constant(('mma', shape), shape)}, {', '.join(texts)}, a, {item.line})"
        )
        for number, register in enumerate(target):
            self.write(register, f"q[{number}]", "b32")


_HANDLERS: Mapping[str, Callable[[_Translation, Instruction], None]] = {
    "mov": _Translation.move,
    "setp": _Translation.compare,
    "cvta": _Translation.convert_address,
    "call": _Translation.call,
    "ld": _Translation.load,
    "ldu": _Translation.load,
    "st": _Translation.store,
    "atom": _Translation.atomic,
    "red": _Translation.atomic,
    "shfl": _Translation.shuffled,
    "vote": _Translation.voted,
    "activemask": _Translation.active,
    "match": _Translation.matched,
    "redux": _Translation.reduced,
    "cp": _Translation.copied,
    "ldmatrix": _Translation.load_matrices,
    "mma": _Translation.multiplied,
}


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


def _target_count(item: Instruction) -> int:
    """How many of the first operands are written."""
    name = item.opcode.split(".")[0]
    return 0 if name in ("st", "bra", "brx", "red", "cp", "call", "prefetch") else 1


def _named(operand: Operand) -> list[str]:
    if isinstance(operand, Register):
        return [operand.name]
    if isinstance(operand, Address):
        return _named(operand.base)
    if isinstance(operand, Vector):
        return [name for inner in operand.items for name in _named(inner)]
    return []


def _written(item: Instruction) -> set[str]:
    return {name for operand in item.operands[: _target_count(item)] for name in _named(operand)}


def _registers(item: Instruction, reads: bool = False) -> list[str]:
    operands = item.operands[_target_count(item) if reads else 0 :]
    names = [name for operand in operands for name in _named(operand)]
    return [*names, item.guard.name] if item.guard is not None else names


def not_known(name: str) -> DeviceError:
    """The error of a kernel that a module does not have."""
    return DeviceError(describe(f"the PTX has no kernel {name!r}"))
