"""What is computed of each element of a result before it is stored: biases, norms, activations, residuals."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Literal, TypeAlias

from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.scalar.program import LEAVES, ProgramBuilder, Ref, ScalarProgram, result_dtype
from gluonic.support.record import record

Place: TypeAlias = Literal["element", "row", "column", "all"]
"""Where an element of an operand is: at the offset of the result's; at the index of its row, or of its column;
or it is the only one."""


@record
class TailRead:
    """An operand that is read: its dtype in memory, and where."""

    dtype: Dtype
    place: Place


@record
class Tail:
    """What is computed of a kernel's sums.

    Attributes
    ----------
    program : ``element 0`` is the sum, the following ones are those of `reads`
    reads : the operands that are read
    writes : the dtypes of the arrays that its results are written to, at the offset of the sum's own array
    """

    program: ScalarProgram
    reads: tuple[TailRead, ...]
    writes: tuple[Dtype, ...]

    @classmethod
    def plain(cls, sums: Dtype, stored: Dtype) -> Tail:
        """The sum alone."""
        builder = ProgramBuilder()
        return cls(builder.program([(sums, builder.add("element", sums, ("0",)))]), (), (stored,))

    @classmethod
    def biased(cls, sums: Dtype, stored: Dtype, place: Place) -> Tail:
        """The sum and a number for each row, or each column."""
        builder = ProgramBuilder()
        terms = [builder.add("element", sums, (str(number),)) for number in (0, 1)]
        program = builder.program([(sums, builder.add("add", sums, (terms[0], terms[1])))])
        return cls(program, (TailRead(stored, place),), (stored,))

    def then(self, following: Tail, *, is_kept: bool) -> Tail:
        """Both tails as one: another one follows, whose ``element 0`` is the result of this one.

        Parameters
        ----------
        is_kept : whether the result of this one is written, too, after those of the other
        """
        builder, count = ProgramBuilder(), len(self.reads)
        own = include(builder, self.program, {})
        places = {0: own[0][1]}
        moved = {number + 1: number + 1 + count for number in range(len(following.reads))}
        results = include(builder, following.program, places, moved)
        program = builder.program([*results, *(own if is_kept else [])])
        writes = (*following.writes, *(self.writes if is_kept else ()))
        return Tail(program, (*self.reads, *following.reads), writes)


def divided(
    program: ScalarProgram, numbers: Collection[int]
) -> tuple[ScalarProgram, ScalarProgram]:
    """The part of a program that needs no elements but those with some numbers, and the rest.

    The rest reads the results of the first part as values.
    """
    first, rest = ProgramBuilder(), ProgramBuilder()
    early, late = dict[Ref, Ref](), dict[Ref, Ref]()
    crossing: dict[Ref, tuple[Ref, tuple[Dtype, Ref]]] = {}
    dtypes = dict[Ref, Dtype]()

    def of_rest(ref: Ref, dtype: Dtype) -> Ref:
        if ref not in early:
            return late.get(ref, ref)
        if ref not in crossing:
            value = rest.add("value", dtype, (str(len(crossing)),))
            crossing[ref] = value, (dtype, early[ref])
        return crossing[ref][0]

    for number, (name, dtype, operands) in enumerate(program.instructions):
        ref, is_leaf = f"%{number}", name in LEAVES
        dtypes[ref] = dtype if is_leaf else result_dtype(name, dtype)
        if is_leaf:
            is_early = int(operands[0]) in numbers
            side, builder = (early, first) if is_early else (late, rest)
            side[ref] = builder.add(name, dtype, operands)
        elif all(not operand.startswith("%") or operand in early for operand in operands):
            early[ref] = first.add(name, dtype, tuple([early.get(o, o) for o in operands]))
        else:
            own = tuple([of_rest(o, dtypes.get(o, dtype)) for o in operands])
            late[ref] = rest.add(name, dtype, own)
    results = [(dtype, of_rest(ref, dtype)) for dtype, ref in program.results]
    return first.program(pair for _, pair in crossing.values()), rest.program(results)


def include(
    builder: ProgramBuilder,
    program: ScalarProgram,
    known: Mapping[int, Ref],
    moved: Mapping[int, int] | None = None,
) -> list[tuple[Dtype, Ref]]:
    """Append a program that reads elements alone; return its results.

    Parameters
    ----------
    known : elements that have been computed
    moved : new numbers of elements
    """
    return builder.include(program, partial(_visit, builder, known, moved or {}))


def _visit(
    builder: ProgramBuilder,
    known: Mapping[int, Ref],
    moved: Mapping[int, int],
    name: str,
    dtype: Dtype,
    operands: Sequence[Ref],
) -> Ref:
    if name == "element":
        number = int(operands[0])
        if number in known:
            return known[number]
        operands = (str(moved.get(number, number)),)
    return builder.add(name, dtype, tuple(operands))
