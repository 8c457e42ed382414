"""Writing LLVM's text: a module, its functions, blocks and loops.

Text is what LLVM parses fastest from Python and what the disk cache hashes, so code is written
as text from the start; llvmlite is not needed (nor imported) until it is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from functools import cache
from typing import Any

from gluonic.codegen.machine.integers import IntegerCode
from gluonic.codegen.machine.target import Target
from gluonic.support.record import record

_HINT = re.compile(r"!(\d+)")


@record
class LLVMModule:
    """The functions of one LLVM module, with their declarations.

    Parameters
    ----------
    target : Target
        The processor the module is for.
    """

    target: Target
    definitions: dict[str, str] = field(default_factory=dict)
    declarations: dict[str, str] = field(default_factory=dict)
    imports: dict[str, None] = field(default_factory=dict)
    symbols: dict[str, int] = field(default_factory=dict)
    hints: list[str] = field(default_factory=list)

    def hint(self, content: str) -> str:
        """Return a reference to metadata, which instructions can carry."""
        if content not in self.hints:
            self.hints.append(content)
        return f"!{self.hints.index(content)}"

    def declare(self, name: str, result: str, arguments: Sequence[str]) -> str:
        """Make an intrinsic callable; return its reference."""
        if name not in self.declarations:
            self.declarations[name] = f"declare {result} @{name}({', '.join(arguments)})"
        return f"@{name}"

    def import_function(self, name: str, result: str, arguments: Sequence[str]) -> str:
        """Make a function of the C library callable; return its reference."""
        self.imports[name] = None
        return self.declare(name, result, arguments)

    def extern(self, name: str, address: int, arguments: Sequence[str]) -> None:
        """Make a function at a known address callable by a name."""
        self.symbols[name] = address
        self.declare(name, "void", arguments)

    def constant(self, name: str, kind: str, values: Sequence[str]) -> str:
        """Add a constant array of numbers to the module; return its reference."""
        listed = f"[{len(values)} x {kind}] [{', '.join(values)}]"
        self.definitions[name] = f"@{name} = internal constant {listed}"
        return f"@{name}"

    def include(self, other: LLVMModule) -> None:
        """Add the contents of another module for this target."""
        numbers = [self.hint(content) for content in other.hints]
        renumbered = self.hints[: len(numbers)] != other.hints
        for name, text in other.definitions.items():
            own = _HINT.sub(lambda found: numbers[int(found[1])], text) if renumbered else text
            self.definitions[name] = own
        self.declarations.update(other.declarations)
        self.imports.update(other.imports)
        self.symbols.update(other.symbols)

    def text(self) -> str:
        """Return the module as LLVM reads it."""
        attributes = self._attributes
        parts = [
            *self.definitions.values(),
            *self.declarations.values(),
            f"attributes #0 = {{ {attributes} }}",
            f"attributes #1 = {{ cold {attributes} }}",
            f"attributes #2 = {{ noinline optnone {attributes.removeprefix('alwaysinline ')} }}",
            *(f"!{number} = !{{{content}}}" for number, content in enumerate(self.hints)),
        ]
        return "\n".join(parts) + "\n"

    @property
    def _attributes(self) -> str:
        """The attributes of all functions."""
        if self.target.is_gpu:
            return "alwaysinline nounwind"
        wide = self.target.vector_bytes * 8
        return f'nounwind "prefer-vector-width"="{wide}" "min-legal-vector-width"="{wide}"'


@record
class Opening:
    """A position in a function that is written to later, such as before a loop."""

    lines: list[Any]


def _add(lines: list[Any], listed: list[str]) -> None:
    """Append lines, and those of lists of lines among them, to a flat list."""
    for line in lines:
        if type(line) is str:
            listed.append(line)
        else:
            _add(line, listed)


class LLVMFunction(IntegerCode):
    """The body of a function while it is being written.

    Parameters
    ----------
    module : LLVMModule
        The module that the finished function is added to.
    name : str
        Its symbol.
    arguments : sequence of str
        Type and name of each argument, as in ``"ptr %table"``.
    internal : bool, default False
        Whether only this module calls it.
    cold : bool, default False
        Whether it is rarely called.
    passes_on : bool, default False
        Whether it only gathers arguments and calls others; it is then compiled without optimisation.
    threads : int, default 0
        For a kernel that a GPU launches, the number of threads of its blocks.
    result : str, default "void"
        The type of what it returns.
    """

    def __init__(
        self,
        module: LLVMModule,
        name: str,
        arguments: Sequence[str],
        *,
        internal: bool = False,
        cold: bool = False,
        passes_on: bool = False,
        threads: int = 0,
        result: str = "void",
    ) -> None:
        self.module = module
        self.name, self.result = name, result
        linkage = "ptx_kernel " if threads else "internal " if internal else ""
        group = "#1" if cold else "#2" if passes_on else "#0"
        if threads:
            group = f'nounwind "nvvm.maxntid"="{threads}"'
        self._head = f"define {linkage}{result} @{name}({', '.join(arguments)}) {group} {{"
        self._slots: list[str] = []
        self._lines: list[Any] = []
        self._all_lines = self._lines
        self._count = self._seldom_run = 0
        self.block = "entry"

    @property
    def length(self) -> int:
        """The number of instructions with results written so far, without those that rarely run."""
        return self._count - self._seldom_run

    def leave(self, condition: str, value: str | int) -> None:
        """Return a value early if the ``i1`` `condition` is true."""
        body, after = self.label("leave"), self.label("stay")
        self._branch(condition, body, after)
        self.start(body)
        self._return(value)
        self.start(after)

    def _return(self, value: str | int) -> None:
        self.do(" ".join(["ret", self.result, str(value)]).rstrip())

    def finish(self, value: str | int = "") -> None:
        """End the function with a return, and add it to its module."""
        self._return(value)
        lines = [self._head, "entry:", *self._slots]
        _add([*self._all_lines, "}"], lines)
        self.module.definitions[self.name] = "\n".join(lines)

    def opening(self) -> Opening:
        """Mark the current position; instructions can be written to it later."""
        opening = Opening([])
        self._lines.append(opening.lines)
        return opening

    @contextmanager
    def at(self, opening: Opening) -> Iterator[None]:
        """Write the instructions inside the ``with`` to a position marked earlier (no blocks)."""
        outer, self._lines = self._lines, opening.lines
        yield
        self._lines = outer

    def op(self, text: str) -> str:
        """Write an instruction with a result; return the result's reference."""
        self._count += 1
        name = f"%v{self._count}"
        self._lines.append(f"  {name} = {text}")
        return name

    def do(self, text: str) -> None:
        """Write an instruction without a result."""
        self._lines.append(f"  {text}")

    def shuffle(self, kind: str, a: str, b: str, lanes: Sequence[int]) -> str:
        """Pick lanes of two vectors of a type; the indices of the second's lanes follow the first's."""
        picked = ", ".join(f"i32 {lane}" for lane in lanes)
        return self.op(f"shufflevector {kind} {a}, {kind} {b}, <{len(lanes)} x i32> <{picked}>")

    def slot(self, kind: str, align: int = 64) -> str:
        """Allocate a stack slot; return its address."""
        self._count += 1
        name = f"%s{self._count}"
        self._slots.append(f"  {name} = alloca {kind}, align {align}")
        return name

    def label(self, hint: str) -> str:
        """Return a fresh block name."""
        self._count += 1
        return f"{hint}{self._count}"

    def start(self, block: str) -> None:
        """Begin the block called `block`."""
        self._lines.append(f"{block}:")
        self.block = block

    def _jump(self, block: str) -> None:
        self.do(f"br label %{block}")

    def _branch(self, condition: str, yes: str, no: str) -> None:
        self.do(f"br i1 {condition}, label %{yes}, label %{no}")

    @contextmanager
    def loop(self, start: str, stop: str, step: int | str = 1) -> Iterator[str]:
        """Write a loop for ``start, start + step, …`` below `stop`."""
        before, body, after = self.block, self.label("loop"), self.label("done")
        enter = self.compare("slt", start, stop)
        self._branch(enter, body, after)
        self.start(body)
        index = self.op("")
        lines, phi = self._lines, len(self._lines) - 1
        yield index
        following = self.op(f"add nsw i64 {index}, {step}")
        lines[phi] = f"  {index} = phi i64 [ {start}, %{before} ], [ {following}, %{self.block} ]"
        again = self.compare("slt", following, stop)
        self._branch(again, body, after)
        self.start(after)

    def first_without(self, start: str, stop: str, holds: Callable[[str], str]) -> str:
        """Return the first of ``start, start + 1, ...`` for which `holds` writes a false ``i1``, or `stop`."""
        before, head, body, after = self.block, *map(self.label, ("seek", "look", "found"))
        self._jump(head)
        self.start(head)
        index = self.op("")
        lines, phi = self._lines, len(self._lines) - 1
        inside = self.compare("slt", index, stop)
        self._branch(inside, body, after)
        self.start(body)
        held, following = holds(index), self.op(f"add nsw i64 {index}, 1")
        lines[phi] = f"  {index} = phi i64 [ {start}, %{before} ], [ {following}, %{self.block} ]"
        self._branch(held, head, after)
        self.start(after)
        return index

    @contextmanager
    def when(self, condition: str, *, seldom: bool = False) -> Iterator[None]:
        """Write a block that runs only if the ``i1`` `condition` is true."""
        body, after = self.label("then"), self.label("after")
        self._branch(condition, body, after)
        self.start(body)
        before = self._count
        yield
        if seldom:
            self._seldom_run += self._count - before
        self._jump(after)
        self.start(after)

    def copy(self, target: str, source: str, size: str) -> None:
        """Copy `size` bytes."""
        function = self.module.declare("llvm.memcpy.p0.p0.i64", "void", ["ptr", "ptr", "i64", "i1"])
        self.run(function, ("ptr", target), ("ptr", source), ("i64", size), ("i1", "false"))

    def stream(self, kind: str, value: str, address: str, align: int) -> None:
        """Write a value past the caches: no cache line is fetched to be overwritten. A `fence` must follow."""
        hint = self.module.hint("i32 1")
        self.do(f"store {kind} {value}, ptr {address}, align {align}, !nontemporal {hint}")

    def fence(self) -> None:
        """Let other threads see what was streamed before what is written from now on."""
        self.do("fence seq_cst")

    def fetch(self, address: str) -> None:
        """Prefetch a cache line that will be read soon."""
        function = self.module.declare("llvm.prefetch.p0", "void", ["ptr", "i32", "i32", "i32"])
        self.run(function, ("ptr", address), ("i32", 0), ("i32", 3), ("i32", 1))

    def least(self, a: str | int, b: str | int) -> str:
        """The smaller of two ``i64``."""
        return self.call("llvm.smin.i64", "i64", [("i64", str(a)), ("i64", str(b))])

    def most(self, a: str | int, b: str | int) -> str:
        """The larger of two ``i64``."""
        return self.call("llvm.smax.i64", "i64", [("i64", str(a)), ("i64", str(b))])

    def call(self, name: str, result: str, arguments: Sequence[tuple[str, str]]) -> str:
        """Call an intrinsic, or a function of the module, by name with (type, reference) pairs."""
        return self.op(self._call(name, result, arguments))

    def run(self, function: str, *arguments: tuple[str, str | int]) -> None:
        """Call a function that returns nothing, such as ``@name``, with (type, reference) pairs."""
        listed = ", ".join([f"{kind} {ref}" for kind, ref in arguments])
        self.do(f"call void {function}({listed})")

    def put(self, vector: str, ref: str, kind: str, value: str, lane: int) -> str:
        """A vector with another value in one of its lanes."""
        return self.op(f"insertelement {vector} {ref}, {kind} {value}, i64 {lane}")

    def splat(self, kind: str, value: str, lanes: int) -> str:
        """A vector with one value in all lanes."""
        wide = f"<{lanes} x {kind}>"
        first = self.put(wide, "poison", kind, value, 0)
        everywhere = f"<{lanes} x i32> zeroinitializer"
        return self.op(f"shufflevector {wide} {first}, {wide} poison, {everywhere}")

    def first_lanes(self, count: str, kind: str, lanes: int) -> str:
        """A mask of the first lanes; `count` is an integer of type `kind`."""
        numbers = ", ".join(f"{kind} {lane}" for lane in range(lanes))
        spread = self.splat(kind, count, lanes)
        return self.op(f"icmp slt <{lanes} x {kind}> <{numbers}>, {spread}")

    def call_for_effect(self, name: str, arguments: Sequence[tuple[str, str]]) -> None:
        """Call an intrinsic that returns nothing."""
        self.do(self._call(name, "void", arguments))

    def _call(self, name: str, result: str, arguments: Sequence[tuple[str, str]]) -> str:
        if name not in self.module.declarations and name not in self.module.definitions:
            self.module.declare(name, result, [kind for kind, _ in arguments])
        listed = ", ".join([f"{kind} {ref}" for kind, ref in arguments])
        return f"call {result} @{name}({listed})"


@cache
def type_suffix(kind: str) -> str:
    """Return the suffix of a type in the names of overloaded intrinsics.

    >>> type_suffix("<16 x float>"), type_suffix("double"), type_suffix("<4 x i32>")
    ('v16f32', 'f64', 'v4i32')
    """
    count, _, element = kind.strip("<>").rpartition(" x ")
    letters = {"half": "f16", "float": "f32", "double": "f64"}.get(element, element)
    return f"v{count}{letters}" if count else letters
