"""Writing kernels whose blocks of threads work together: 32-bit indices, global and shared memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.jit import WRITTEN_OUT
from gluonic.codegen.maths.values import Dtype, arithmetic, scalar_type
from gluonic.support.record import record

Int: TypeAlias = str | int
"""An ``i32``: the reference of a result, or a constant."""
GLOBAL, SHARED = "ptr addrspace(1)", "ptr addrspace(3)"


class OfElements:
    """What follows from the dtype of what a kernel reads; for classes that say on what kernels depend.

    Attributes
    ----------
    dtype : that of the elements in memory
    """

    dtype: Dtype

    @property
    def sums(self) -> Dtype:
        """The dtype of sums."""
        return arithmetic(self.dtype)

    @property
    def stored(self) -> str:
        """LLVM's type of an element in memory."""
        return scalar_type(self.dtype)


@record
class CarriedLoop:
    """A loop that is being written: its first block, and the lines of its carried values."""

    start: str
    before: str
    values: tuple[str, ...]
    kinds: tuple[str, ...]
    initial: tuple[Int, ...]
    lines: list[object]
    first: int


class BlockCode(KernelFunction):
    """A kernel while it is being written. Constants are folded.

    Parameters
    ----------
    module : the module that the finished kernel is added to
    name : its symbol
    operands : the number of addresses that it gets
    numbers : the names of the numbers that follow
    threads : the number of threads in a block
    blocks : the number of blocks that a multiprocessor should hold at once, which limits registers
    tensors : see `KernelFunction`
    is_written_out : whether LLVM needs to do little, as loops and registers are as they shall be
    """

    def __init__(
        self,
        module: LLVMModule,
        name: str,
        operands: int,
        numbers: Sequence[str],
        threads: int,
        blocks: int = 1,
        tensors: int = 0,
        *,
        is_written_out: bool = False,
    ) -> None:
        super().__init__(module, name, operands, len(numbers), threads, tensors)
        attributes = f'"nvvm.minctasm"="{blocks}"' + f' "{WRITTEN_OUT}"' * is_written_out
        self._head = self._head.removesuffix("{") + f"{attributes} {{"
        self._wide = dict(zip(numbers, self.numbers, strict=True))
        self._narrow = {n: self.narrowed(ref) for n, ref in self._wide.items()}
        self.thread, self.block_index = self.special("tid.x"), self.special("ctaid.x")

    def number(self, name: str) -> str:
        """A run-time argument as an ``i32``."""
        return self._narrow[name]

    # -- 32-bit integers ----------------------------------------------------------------------

    def add32(self, *terms: Int) -> Int:
        """A sum."""
        constant = sum(term for term in terms if isinstance(term, int))
        result: Int = constant
        for term in terms:
            if isinstance(term, int):
                continue
            result = term if result == 0 else self.binary("add", term, result, "i32")
        return result

    def sub32(self, a: Int, b: Int) -> Int:
        """A difference."""
        if isinstance(b, int):
            return self.add32(a, -b)
        return self.binary("sub", a, b, "i32")

    def mul32(self, a: Int, b: Int) -> Int:
        """A product."""
        if isinstance(a, int):
            a, b = b, a
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if isinstance(b, int) and b in (0, 1):
            return a if b else 0
        return self.binary("mul", a, b, "i32")

    def div32(self, a: Int, b: Int) -> Int:
        """The quotient of numbers that are not negative."""
        if isinstance(b, int) and (b == 1 or isinstance(a, int)):
            return a if b == 1 else int(a) // b
        return self.binary("udiv", a, b, "i32")

    def rem32(self, a: Int, b: Int) -> Int:
        """The remainder of numbers that are not negative."""
        if isinstance(b, int) and (b == 1 or isinstance(a, int)):
            return 0 if b == 1 else int(a) % b
        return self.binary("urem", a, b, "i32")

    def min32(self, a: Int, b: Int) -> Int:
        """The smaller of two signed numbers."""
        return self.call("llvm.smin.i32", "i32", [("i32", str(a)), ("i32", str(b))])

    def max32(self, a: Int, b: Int) -> Int:
        """The larger of two signed numbers."""
        return self.call("llvm.smax.i32", "i32", [("i32", str(a)), ("i32", str(b))])

    def exclusive_or(self, a: Int, b: Int) -> Int:
        """The bits that are set in one of two numbers."""
        if isinstance(a, int) and isinstance(b, int):
            return a ^ b
        return self.binary("xor", a, b, "i32")

    def quotient(self, index: Int, name: str) -> str:
        """The quotient of a number below 2**31 and the extent `name`, by its `reciprocal`."""
        double = self.binary("shl", index, 1, "i32")
        factors = [("i32", double), ("i32", self.number(f"{name}.factor"))]
        high = self.call("llvm.nvvm.mulhi.ui", "i32", factors)
        return self.binary("lshr", high, self.number(f"{name}.shift"), "i32")

    def less(self, a: Int, b: Int) -> str:
        """Whether a signed number is less than another."""
        return self.compare("slt", a, b, "i32")

    def within(self, a: Int, b: Int) -> str:
        """Whether a number is neither negative nor as large as another."""
        return self.compare("ult", a, b, "i32")

    def same(self, a: Int, b: Int) -> str:
        """Whether two numbers are equal."""
        return self.compare("eq", a, b, "i32")

    def is_set(self, name: str) -> str:
        """Whether a run-time argument is not zero."""
        return self.compare("ne", self.number(name), 0, "i32")

    def all_of(self, conditions: Sequence[str]) -> str:
        """Whether all conditions hold."""
        result = conditions[0]
        for condition in conditions[1:]:
            result = self.both(result, condition)
        return result

    # -- memory -------------------------------------------------------------------------------

    def part_of(self, operand: int, steps: Sequence[tuple[Int, str]], kind: str) -> str:
        """The address in an operand after some steps: pairs of a count and the name of a number of elements."""
        address = f"%p{operand}"
        for count, name in steps:
            distance = self.mul(self.cast("zext", count, "i32", "i64"), self._wide[name])
            address = self.op(f"getelementptr {kind}, {GLOBAL} {address}, i64 {distance}")
        return address

    def is_aligned(self, address: str, size: int) -> str:
        """Whether a global address is a multiple of a size, a power of two."""
        rest = self.bits(self.cast("ptrtoint", address, GLOBAL, "i64"), size - 1)
        return self.compare("eq", rest, 0)

    def shared_array(self, kind: str, count: int) -> str:
        """Shared memory for so many elements; return its reference."""
        self._shared += 1
        name = f"{self.name}_shared{self._shared}"
        self.module.definitions[name] = (
            f"@{name} = internal addrspace(3) global [{count} x {kind}] undef, align 16"
        )
        return f"@{name}"

    def launched_array(self) -> str:
        """The shared memory that a launch gives to a block, aligned to 1024 bytes; its reference."""
        name = f"{self.name}_launched"
        self.module.definitions[name] = (
            f"@{name} = external addrspace(3) global [0 x i8], align 1024"
        )
        return f"@{name}"

    def element(self, space: str, base: str, index: Int, kind: str) -> str:
        """The address of the element with a signed 32-bit index."""
        return self.op(f"getelementptr {kind}, {space} {base}, i32 {index}")

    def read(self, space: str, base: str, index: Int, kind: str) -> str:
        """The element with a signed 32-bit index."""
        address = self.element(space, base, index, kind)
        return self.op(f"load {kind}, {space} {address}")

    def write(self, space: str, base: str, index: Int, kind: str, value: str) -> None:
        """Store the element with a signed 32-bit index."""
        self.do(f"store {kind} {value}, {space} {self.element(space, base, index, kind)}")

    def read_vector(
        self, space: str, base: str, index: Int, kind: str, lanes: int, size: int
    ) -> list[str]:
        """Elements that follow each other; the first one's address is a multiple of their size together."""
        address = self.element(space, base, index, kind)
        vector = f"<{lanes} x {kind}>"
        loaded = self.op(f"load {vector}, {space} {address}, align {lanes * size}")
        return [self._member("extractelement", vector, loaded, f"i32 {i}") for i in range(lanes)]

    def write_vector(
        self, space: str, base: str, index: Int, kind: str, values: Sequence[str], size: int
    ) -> None:
        """Store elements that follow each other, at an address as for `read_vector`."""
        vector, joined = f"<{len(values)} x {kind}>", "poison"
        for i, value in enumerate(values):
            joined = self.op(f"insertelement {vector} {joined}, {kind} {value}, i32 {i}")
        address = self.element(space, base, index, kind)
        self.do(f"store {vector} {joined}, {space} {address}, align {len(values) * size}")

    def parts(self, value: str, kind: str, count: int) -> list[str]:
        """The members of a structure."""
        return [self._member("extractvalue", kind, value, str(i)) for i in range(count)]

    def _member(self, instruction: str, kind: str, value: str, index: str) -> str:
        return self.op(f"{instruction} {kind} {value}, {index}")

    # -- asynchronous copies ------------------------------------------------------------------

    def copy_element(self, target: str, source: str, size: int, condition: str) -> None:
        """Copy 4 or 8 bytes from global to shared memory where a condition holds, zeros elsewhere."""
        kept = self.select(condition, size, 0, "i32")
        name = f"llvm.nvvm.cp.async.ca.shared.global.{size}.s"
        self.call_for_effect(name, [(SHARED, target), (GLOBAL, source), ("i32", kept)])

    def copy_aligned(self, target: str, source: str, size: int) -> None:
        """Copy 4, 8 or 16 bytes, aligned by their number, from global to shared memory."""
        through = "cg" if size == 16 else "ca"
        name = f"llvm.nvvm.cp.async.{through}.shared.global.{size}"
        self.call_for_effect(name, [(SHARED, target), (GLOBAL, source)])

    def copy_part(self, target: str, source: str, size: Int) -> None:
        """Copy the first `size` of 16 aligned bytes from global to shared memory, zeros for the others."""
        name = "llvm.nvvm.cp.async.cg.shared.global.16.s"
        self.call_for_effect(name, [(SHARED, target), (GLOBAL, source), ("i32", str(size))])

    def end_copies(self) -> None:
        """Make a group of the thread's copies since the last group."""
        self.call_for_effect("llvm.nvvm.cp.async.commit.group", [])

    def wait_for_copies(self, pending: int) -> None:
        """Wait until all of the thread's groups of copies are done but the last ones."""
        self.call_for_effect("llvm.nvvm.cp.async.wait.group", [("i32", str(pending))])

    def converge(self) -> None:
        """Wait for the other threads of the warp."""
        self.call_for_effect("llvm.nvvm.bar.warp.sync", [("i32", "-1")])

    def meet(self, number: Int, threads: int) -> None:
        """Wait at a barrier with a number, 1 to 15, until so many threads have arrived or wait there."""
        self.assembly(f"bar.sync $0, {threads};", "void", "r", f"i32 {number}")

    # -- inline assembly ----------------------------------------------------------------------

    def assembly(
        self, text: str, result: str = "void", constraints: str = "", operands: str = ""
    ) -> str:
        """Instructions that LLVM has no intrinsics for, which may access memory; return their result."""
        constraints = ",".join(filter(None, [constraints, "~{memory}"]))
        call = f'call {result} asm sideeffect "{text}", "{constraints}"({operands})'
        if result != "void":
            return self.op(call)
        self.do(call)
        return ""

    # -- control ------------------------------------------------------------------------------

    def either(
        self,
        condition: str,
        kind: str,
        yes: Callable[[], Sequence[str]],
        no: Callable[[], Sequence[str]],
    ) -> list[str]:
        """The values that one of two pieces of code computes."""
        first, second, after = self.label("yes"), self.label("no"), self.label("joined")
        self._branch(condition, first, second)
        ends = []
        for block, write in ((first, yes), (second, no)):
            self.start(block)
            ends.append((write(), self.block))
            self._jump(after)
        self.start(after)
        (left, before_left), (right, before_right) = ends
        return [
            self.op(f"phi {kind} [ {a}, %{before_left} ], [ {b}, %{before_right} ]")
            for a, b in zip(left, right, strict=True)
        ]

    def value_if(self, condition: str, kind: str, write: Callable[[], str], otherwise: str) -> str:
        """The value that some code computes where a condition holds, a constant elsewhere."""
        return self.either(condition, kind, lambda: [write()], lambda: [otherwise])[0]

    @contextmanager
    def branches(self, condition: str) -> Iterator[Callable[[], None]]:
        """Write two pieces of code, one for each outcome: call what this gives between them."""
        first, second, after = self.label("yes"), self.label("no"), self.label("after")
        self._branch(condition, first, second)
        self.start(first)

        def turn() -> None:
            self._jump(after)
            self.start(second)

        yield turn
        self._jump(after)
        self.start(after)

    def begin_loop(self, carried: Sequence[tuple[str, Int]]) -> CarriedLoop:
        """Begin a loop that runs at least once, with values carried from round to round."""
        start, before = self.label("round"), self.block
        self._jump(start)
        self.start(start)
        first = len(self._lines)
        values = tuple([self.op("") for _ in carried])
        kinds, initial = zip(*carried, strict=True)
        return CarriedLoop(start, before, values, kinds, initial, self._lines, first)

    def end_loop(
        self, loop: CarriedLoop, following: Sequence[Int], condition: str, *, unrolls: bool = True
    ) -> None:
        """End a loop: another round with the following values runs where the condition holds.

        Parameters
        ----------
        unrolls : whether LLVM may write rounds one after the other
        """
        after = self.label("done")
        for i, (value, new) in enumerate(zip(loop.values, following, strict=True)):
            ends = f"[ {loop.initial[i]}, %{loop.before} ], [ {new}, %{self.block} ]"
            loop.lines[loop.first + i] = f"  {value} = phi {loop.kinds[i]} {ends}"
        again = f"br i1 {condition}, label %{loop.start}, label %{after}"
        if not unrolls:
            disabled = self.module.hint('!"llvm.loop.unroll.disable"')
            number = len(self.module.hints)  # a loop's hint names itself first
            again += f", !llvm.loop {self.module.hint(f'!{number}, {disabled}')}"
        self.do(again)
        self.start(after)


def divisor_numbers(name: str) -> tuple[str, str, str]:
    """The names of the arguments that divide by an extent; the last two are its `reciprocal`."""
    return f"{name}.extent", f"{name}.factor", f"{name}.shift"


def reciprocal(extent: int) -> tuple[int, int]:
    """The factor and the shift by which `BlockCode.quotient` divides by an extent below 2**31.

    >>> factor, shift = reciprocal(7)
    >>> [(2 * i * factor >> 32) >> shift for i in (0, 6, 7, 48, 2**31 - 1)]
    [0, 0, 1, 6, 306783378]
    """
    shift = (extent - 1).bit_length()
    return -(-(1 << (31 + shift)) // extent), shift


def divisor_values(name: str, extent: int) -> Iterator[tuple[str, int]]:
    """The arguments that `divisor_numbers` names, each with its value."""
    return zip(divisor_numbers(name), (extent, *reciprocal(max(extent, 1))), strict=True)
