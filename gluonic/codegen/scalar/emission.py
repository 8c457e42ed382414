"""Writing scalar programs as instructions on registers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from gluonic.codegen.maths.elements import as_stored
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.functions import lookup
from gluonic.codegen.maths.values import Dtype, Value
from gluonic.codegen.scalar.program import LEAVES, Ref, ScalarProgram, operand_dtype


def emit_program(
    m: Emitter, program: ScalarProgram, leaf: Callable[[str, Sequence[int]], Value]
) -> list[Value]:
    """Write a program; return its results.

    Parameters
    ----------
    leaf : ``(name, numbers) → value``: what the program reads
    """
    values: dict[Ref, Value] = {}

    def read(ref: Ref, dtype: Dtype) -> Value:
        return values[ref] if ref in values else Value(m, ref, dtype, 1)

    for number, (name, dtype, operands) in enumerate(program.instructions):
        if name in LEAVES:
            value = leaf(name, [*map(int, operands)])
        else:
            pairs = enumerate(operands)
            value = rule_of(name, dtype)(
                m, *[read(r, operand_dtype(name, k, dtype)) for k, r in pairs]
            )
        values[f"%{number}"] = value
    return [read(ref, dtype) for dtype, ref in program.results]


@cache
def rule_of(name: str, dtype: Dtype) -> Callable[..., Any]:
    """What writes an operation that computes in a dtype: ``(emitter, *operands) → result``."""
    if name == "convert":
        return lambda m, value: m.astype(value, dtype)
    if name == "rounded":
        return lambda m, value: as_stored(m, value, dtype)
    rule = getattr(Emitter, name, None) or lookup(name)
    assert rule is not None, f"nothing writes the operation {name}"
    return rule
