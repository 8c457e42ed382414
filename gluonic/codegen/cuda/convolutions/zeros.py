"""Zeros in all of a result of which products write a part."""

from __future__ import annotations

from gluonic.codegen.cuda.block_code import GLOBAL, BlockCode
from gluonic.codegen.cuda.steps import KernelLaunch
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import Dtype

_THREADS, _BYTES = 256, 16
"""The threads of a block, and the bytes that each writes."""


def clearing(operand: int, count: int, dtype: Dtype) -> KernelLaunch:
    """The launch that writes zeros to so many elements, from the beginning of an operand on."""
    size = dtype.itemsize
    blocks = -(-count * size // (_BYTES * _THREADS))
    return KernelLaunch(
        (_write_zeros, size), (operand,), (count,), (blocks, 1, 1), (_THREADS, 1, 1)
    )


def _write_zeros(module: LLVMModule, name: str, size: int) -> None:
    """Write the kernel, for elements of a size in bytes."""
    code = BlockCode(module, name, 1, ["count"], _THREADS)
    kind, lanes, count = f"i{8 * size}", _BYTES // size, code.number("count")
    thread = code.add32(code.mul32(code.block_index, _THREADS), code.thread)
    first = code.mul32(thread, lanes)
    with code.branches(code.less(code.add32(first, lanes - 1), count)) as turn:
        code.write_vector(GLOBAL, "%p0", first, kind, ["0"] * lanes, size)
        turn()
        for i in range(lanes):
            index = code.add32(first, i)
            with code.when(code.less(index, count)):
                code.write(GLOBAL, "%p0", index, kind, "0")
    code.finish()
