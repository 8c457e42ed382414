"""The length of an expression in machine instructions."""

from collections.abc import Callable
from typing import Any

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import Target
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import Dtype


def instruction_count(
    expression: Callable[..., Any], target: Target, dtype: Dtype, operands: int = 1
) -> int:
    """Compile ``expression(m, *values)``, discard the code, and return its number of instructions.

    Parameters
    ----------
    expression : callable
        The expression.
    target : Target
        The target processor.
    dtype : numpy.dtype
        The dtype of the values.
    operands : int, default 1
        The number of values.
    """
    function = LLVMFunction(LLVMModule(target), "trial", [])
    m = Emitter(function)
    expression(m, *[m.value(f"%operand{k}", dtype, 1) for k in range(operands)])
    return function.length
