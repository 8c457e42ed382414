"""The length of an expression in machine instructions."""

from collections.abc import Callable
from typing import Any

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import Target
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import Dtype


def length_of(
    expression: Callable[..., Any], target: Target, dtype: Dtype, operands: int = 1
) -> int:
    """Return how many instructions ``expression(m, *values)`` is, written and thrown away.

    Parameters
    ----------
    expression : callable
        What is computed of values.
    target : Target
        The processor it is for.
    dtype : numpy.dtype
        Of the values.
    operands : int, default 1
        How many values there are.
    """
    function = LLVMFunction(LLVMModule(target), "trial", [])
    m = Emitter(function)
    expression(m, *[m.value(f"%operand{k}", dtype, 1) for k in range(operands)])
    return function.length
