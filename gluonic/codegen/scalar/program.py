"""A scalar program: operations on one element of each operand, as a value.

Programs are compared, hashed, printed and parsed; they depend on no size and no processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

import numpy as np

from gluonic.codegen.machine.target import Target
from gluonic.codegen.maths.values import BOOL, Dtype, arithmetic, literal, number_of
from gluonic.codegen.scalar.operations import OPERATIONS
from gluonic.support.cached_property import cached_property
from gluonic.support.record import record

Ref: TypeAlias = str
"""The result of an instruction, ``%7`` for that at index 7; or a number as `maths.values.literal` writes it."""
Instruction: TypeAlias = tuple[str, Dtype, tuple[Ref, ...]]
"""An operation, the dtype in which it computes, and its operands."""
Visit: TypeAlias = Callable[[str, Dtype, tuple[Ref, ...]], Ref]

LEAVES = frozenset({"element", "value", "index", "extent"})
"""What a program reads, by number: the element of an operand in memory; a value that an earlier program left
(reduced or carried); the position along an axis; the number of elements along axes."""


@record
class ScalarProgram:
    """A list of operations, and those whose results it returns.

    Attributes
    ----------
    instructions : in the order in which they are computed
    results : the dtype of each result, and what it is
    """

    instructions: tuple[Instruction, ...]
    results: tuple[tuple[Dtype, Ref], ...]

    @property
    def dtypes(self) -> list[Dtype]:
        """The dtypes of the results."""
        return [dtype for dtype, _ in self.results]

    @cached_property
    def length(self) -> int:
        """About the number of machine instructions for one element."""
        return sum(
            OPERATIONS[name].length_for(dtype) if name in OPERATIONS else 1
            for name, dtype, _ in self.instructions
            if name not in LEAVES
        )

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The program as text, which `parsed` reads.

        >>> x = ("element", np.dtype("float32"), ("0",))
        >>> y = ("multiply", np.dtype("float32"), ("%0", "0x3FE0000000000000"))
        >>> print(ScalarProgram((x, y), ((np.dtype("float32"), "%1"),)))
        %0 = element float32 0
        %1 = multiply float32 %0, 0.5
        return float32 %1
        """
        for number, (name, dtype, operands) in enumerate(self.instructions):
            listed = ", ".join(map(_shown, operands))
            yield f"%{number} = {name} {dtype.name} {listed}".rstrip()
        yield "return " + ", ".join(f"{dtype.name} {_shown(ref)}" for dtype, ref in self.results)

    def without_unused(self) -> ScalarProgram:
        """The program without instructions whose results nothing reads."""
        used = {ref for _, ref in self.results}
        for number in range(len(self.instructions) - 1, -1, -1):
            name, _, operands = self.instructions[number]
            if f"%{number}" in used and name not in LEAVES:
                used.update(operands)
        numbers = iter(range(len(self.instructions)))

        def change(
            builder: ProgramBuilder, name: str, dtype: Dtype, operands: tuple[Ref, ...]
        ) -> Ref:
            is_used = f"%{next(numbers)}" in used
            return builder.add(name, dtype, operands) if is_used else ""

        return rewritten(self, change)


class ProgramBuilder:
    """A program while it is written."""

    def __init__(self) -> None:
        self.instructions: list[Instruction] = []

    def add(self, name: str, dtype: Dtype, operands: tuple[Ref, ...]) -> Ref:
        """Append an instruction; return its result."""
        self.instructions.append((name, dtype, operands))
        return f"%{len(self.instructions) - 1}"

    def include(self, program: ScalarProgram, visit: Visit) -> list[tuple[Dtype, Ref]]:
        """Append the instructions that `visit` adds for each of a program's; return the program's results.

        Parameters
        ----------
        visit : ``(name, dtype, operands) → result``, with the results of earlier visits as operands
        """
        refs: dict[Ref, Ref] = {}
        for number, (name, dtype, operands) in enumerate(program.instructions):
            if name not in LEAVES:
                operands = tuple([refs.get(ref, ref) for ref in operands])
            refs[f"%{number}"] = visit(name, dtype, operands)
        return [(dtype, refs.get(ref, ref)) for dtype, ref in program.results]

    def program(self, results: Iterable[tuple[Dtype, Ref]]) -> ScalarProgram:
        """The program that returns some results."""
        return ScalarProgram(tuple(self.instructions), tuple(results))


def result_dtype(name: str, dtype: Dtype) -> Dtype:
    """The dtype of the result of an operation that computes in a dtype."""
    operation = OPERATIONS.get(name)
    return BOOL if operation is not None and operation.is_test else arithmetic(dtype)


def operand_dtype(name: str, position: int, dtype: Dtype) -> Dtype:
    """The dtype of a number that is an operand of an operation that computes in a dtype."""
    if name == "where" and position == 0:
        return BOOL
    return arithmetic(dtype)


def rewritten(
    program: ScalarProgram, change: Callable[[ProgramBuilder, str, Dtype, tuple[Ref, ...]], Ref]
) -> ScalarProgram:
    """A program of the instructions that `change` adds for each of another's: `change` returns the result."""
    builder = ProgramBuilder()
    return builder.program(builder.include(program, partial(change, builder)))


def cut_in_halves(
    program: ScalarProgram, target: Target
) -> tuple[ScalarProgram, list[tuple[Dtype, Ref]]]:
    """A program whose operations are cut in halves where possible, and the values that cross the cuts.

    Little else is live there, so one loop can compute what is before, and another what is after.
    """
    crossing: list[tuple[Dtype, Ref]] = []

    def change(builder: ProgramBuilder, name: str, dtype: Dtype, operands: tuple[Ref, ...]) -> Ref:
        operation = OPERATIONS.get(name)
        halves = operation and operation.halves_for(dtype, target)
        if not halves:
            return builder.add(name, dtype, operands)
        begun = builder.add(halves[0], dtype, operands)
        crossing.append((dtype, begun))
        return builder.add(halves[1], dtype, (begun, *operands))

    return rewritten(program, change), crossing


def part_between(
    program: ScalarProgram,
    before: Sequence[tuple[Dtype, Ref]],
    operands: Sequence[int],
    ends: Sequence[tuple[Dtype, Ref]],
) -> ScalarProgram:
    """The part of a program between cuts.

    Parameters
    ----------
    before : the values that cross the cuts before it
    operands : the operands that these are read from
    ends : what it computes
    """
    numbers = {ref: number for (_, ref), number in zip(before, operands, strict=False)}
    at = iter(range(len(program.instructions)))

    def change(builder: ProgramBuilder, name: str, dtype: Dtype, refs: tuple[Ref, ...]) -> Ref:
        number = numbers.get(f"%{next(at)}")
        if number is None:
            return builder.add(name, dtype, refs)
        return builder.add("element", dtype, (str(number),))

    return rewritten(replace(program, results=tuple(ends)), change).without_unused()


def parsed(text: str) -> ScalarProgram:
    r"""The program that a text shows.

    >>> text = "%0 = element float32 0\n%1 = less float32 %0, -0.5\nreturn bool %1"
    >>> str(parsed(text)) == text
    True
    """
    *lines, end = text.strip().splitlines()
    builder = ProgramBuilder()
    for line in lines:
        _, name, kind, *listed = line.replace(",", "").replace(" = ", " ", 1).split()
        dtype = np.dtype(kind)
        read = (
            listed
            if name in LEAVES
            else [_ref(ref, operand_dtype(name, i, dtype)) for i, ref in enumerate(listed)]
        )
        builder.add(name, dtype, tuple(read))
    words = end.replace(",", "").split()[1:]
    pairs = [(np.dtype(kind), ref) for kind, ref in zip(words[::2], words[1::2], strict=True)]
    return builder.program((dtype, _ref(ref, dtype)) for dtype, ref in pairs)


def _shown(ref: Ref) -> str:
    """A reference as text: numbers in decimal."""
    return repr(number_of(ref)) if ref.startswith("0x") else ref


def _ref(text: str, dtype: Dtype) -> Ref:
    """The reference that a text shows."""
    if text.startswith("%") or dtype == BOOL:
        return text
    return literal(float(text) if dtype.kind == "f" else int(text), dtype)
