"""A kernel that looks for infinities and NaN in many arrays, as gradients of scaled losses may have."""

from __future__ import annotations

from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.machine.assembler import LLVMModule

THREADS, EACH = 256, 8
"""The threads of a block, and the elements that each looks at."""
EXPONENTS = {"float16": 0x7C00, "bfloat16": 0x7F80, "float32": 0x7F800000, "float64": 0x7FF << 52}
"""The bits of exponents, which are all set in infinities and NaN."""


def emit_finite(module: LLVMModule, name: str, dtype: str) -> None:
    """Write the kernel; it gets the addresses of a table, and of an ``i32`` that it clears if it finds one.

    The table has a row for each block: the address of its first element, and the number of its elements.

    Parameters
    ----------
    dtype : of the arrays
    """
    function = KernelFunction(module, name, 2, 0, THREADS)
    table, flag = function.operands
    exponent = EXPONENTS[dtype]
    kind = "i64" if dtype == "float64" else "i32" if dtype == "float32" else "i16"
    block = function.widened(function.special("ctaid.x"))
    row = function.offset(table, function.mul(block, 2), "i64")
    address, count = (function.load("i64", function.offset(row, k, "i64")) for k in range(2))
    elements, thread = function.pointer(address), function.widened(function.special("tid.x"))
    worst = "false"
    for turn in range(EACH):
        index = function.add(thread, turn * THREADS)
        inside = function.compare("slt", index, count)
        place = function.offset(elements, function.select(inside, index, 0), kind)
        bits = function.binary("and", function.load(kind, place), exponent, kind)
        found = function.both(inside, function.compare("eq", bits, exponent, kind))
        worst = function.binary("or", worst, found, "i1")
    with function.when(worst, seldom=True):
        function.clear_atomically(flag)
    function.finish()
