"""What a GPU has no code for, of the operations of scalar programs.

Such operators are kept out of fused loops and products: the host then computes them alone, and not all that
they would have been fused with.
"""

from __future__ import annotations

from functools import cache

from gluonic.codegen.cuda.ptx import KERNEL, NoDeviceCodeError, check_selectable, target_of, text_of
from gluonic.codegen.loops.runnable import why_not
from gluonic.codegen.loops.steps import loop_for
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import Dtype, Value, arithmetic, scalar_type
from gluonic.codegen.scalar.emission import rule_of
from gluonic.codegen.scalar.operations import OPERATIONS
from gluonic.codegen.scalar.program import ScalarProgram, operand_dtype
from gluonic.codegen.shapes.facts import Facts
from gluonic.device.processors import Processor
from gluonic.graph import Node

_ANY_GPU = Processor("sm_80", (7, 0))
"""A GPU that stands for all: which operations have code does not depend on it."""


def why_not_there(node: Node, facts: Facts) -> str:
    """Why a GPU has no code for an operator that is a loop; an empty string if it has."""
    reason = why_not(node, facts)
    loop = None if reason else loop_for(node, facts)
    if loop is None:
        return reason
    read = zip(node.inputs, loop.reads, strict=True)
    return _lacking(loop.program([facts.dtypes[e] for e, part in read if part is not None]))


def _lacking(program: ScalarProgram) -> str:
    reasons = (_reason(name, dtype) for name, dtype, _ in program.instructions)
    return next(filter(None, reasons), "")


@cache
def _reason(name: str, dtype: Dtype) -> str:
    """Why a GPU has no code for an operation in a dtype, found by writing it; an empty string if it has."""
    if name not in OPERATIONS:
        return ""
    module = LLVMModule(target_of(_ANY_GPU))
    kinds = [arithmetic(operand_dtype(name, k, dtype)) for k in range(OPERATIONS[name].arity)]
    parameters = [f"{scalar_type(kind)} %x{k}" for k, kind in enumerate(kinds)]
    function = LLVMFunction(module, KERNEL, parameters)
    emitter = Emitter(function)
    rule_of(name, dtype)(emitter, *[Value(emitter, f"%x{k}", d, 1) for k, d in enumerate(kinds)])
    function.finish()
    try:
        check_selectable(text_of(module))
    except NoDeviceCodeError as error:
        return str(error)
    return ""
