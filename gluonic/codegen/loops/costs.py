"""What operators' expressions cost: whether they have machine code, and of what length."""

from collections.abc import Sequence

from gluonic.codegen.loops.loop import Loop
from gluonic.codegen.maths.functions import NotLowered
from gluonic.codegen.maths.values import Dtype

_COSTLY = 12
"""A value of more instructions than this is stored rather than recomputed."""

NANOSECONDS_A_BYTE = 0.1
NANOSECONDS_AN_INSTRUCTION = 0.02
NANOSECONDS_A_PRODUCT = 0.02
"""Rough costs on any processor: of moving a byte, of an instruction per element, of a multiply-add."""


def why_no_code(loop: Loop, dtypes: Sequence[Dtype]) -> str:
    """Why the expression of a loop has no machine code for elements of these dtypes; empty if it has."""
    try:
        loop.program(dtypes)
    except NotLowered as error:
        return str(error)
    return ""


def is_costly(loop: Loop, dtypes: Sequence[Dtype]) -> bool:
    """Whether an element of the loop is expensive to compute."""
    return loop.program(dtypes).length > _COSTLY
