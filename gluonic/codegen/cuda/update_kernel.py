"""A kernel that updates many parameters: each block some elements of one of them, as a table says."""

from __future__ import annotations

from gluonic.codegen.cuda.element_kernels import ThreadSpread, ThreadWriter
from gluonic.codegen.cuda.kernel_function import KernelFunction
from gluonic.codegen.loops.kernel import Kernel
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import FLOAT64


class _BlockFunction(KernelFunction):
    """The function of a kernel whose blocks each count their threads from 0."""

    def flat_thread(self, block: int, kind: str) -> str:
        """The number of the thread in its block."""
        thread = self.special("tid.x")
        return self.widened(thread) if kind == "i64" else thread


def emit_updates(module: LLVMModule, name: str, kernel: Kernel, spread: ThreadSpread) -> None:
    """Write the kernel of an update rule; it gets the address of a table, then the rule's numbers.

    The table has a row for each block: the addresses of the block's first elements, in the order of the
    kernel's operands, and the number of its chunks. Numbers are the bits of a float64; an operand of another
    dtype is read from the address that the number is.
    """
    arrays = sum(operand.patterns == ("unit",) for operand in kernel.operands)
    function = _BlockFunction(module, name, 1, len(kernel.operands) - arrays, spread.threads)
    (table,) = function.operands
    block = function.widened(function.special("ctaid.x"))
    row = function.offset(table, function.mul(block, arrays + 1), "i64")
    *addresses, chunks = (
        function.load("i64", function.offset(row, column, "i64")) for column in range(arrays + 1)
    )
    numbers = []
    for bits, operand in zip(function.numbers, kernel.operands[arrays:], strict=True):
        if operand.dtype == FLOAT64:
            numbers.append(function.slot("double", 8))
            function.store("i64", bits, numbers[-1])
        else:
            numbers.append(function.pointer(bits))
    function.operands = [*map(function.pointer, addresses), *numbers]
    function.numbers = [chunks, chunks, function.mul(chunks, spread.width)]
    ThreadWriter(kernel, spread, function).write()
    function.finish()
