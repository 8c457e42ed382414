"""The epilogue of a product, applied to each element of the result: one function for tiles of all sizes."""

from hashlib import sha256

from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.target import Target
from gluonic.codegen.maths.emitter import Emitter
from gluonic.codegen.maths.values import Dtype, scalar_type, vector_type
from gluonic.codegen.scalar.emission import emit_program
from gluonic.codegen.scalar.program import ScalarProgram
from gluonic.support.cached_property import cached_property
from gluonic.support.record import record

_SHORT = 4
"""Epilogues of up to this number of instructions are inlined after each sum."""
_MATRIX = ("ptr %matrix", "i64 %lead", "i64 %rows", "i64 %columns")


@record
class ProductEpilogue:
    """A function of each element of a product.

    Attributes
    ----------
    program : what it computes of one element
    """

    program: ScalarProgram

    @cached_property
    def name(self) -> str:
        """The name that identifies the function."""
        return sha256(str(self.program).encode()).hexdigest()[:16]

    @property
    def is_short(self) -> bool:
        """Whether it has so few instructions that a call would take longer."""
        return self.program.length <= _SHORT

    def applied(self, m: Emitter, ref: str, dtype: Dtype, lanes: int) -> str:
        """Apply the function to a register's value; return the reference of the result."""
        value = m.value(ref, dtype, lanes)
        (result,) = emit_program(m, self.program, lambda name, numbers: value)
        return m.widened(m.astype(result, dtype), lanes)


def block_length(target: Target, dtype: Dtype) -> int:
    """The number of elements that an epilogue processes at a time: enough registers to hide latencies."""
    return 4 * target.vector_bytes // dtype.itemsize


def block_finisher(module: LLVMModule, dtype: Dtype, epilogue: ProductEpilogue) -> str:
    """The function that applies an epilogue to elements in place; written on first use.

    Its arguments are the address of the first element and their number, a multiple of the block length.
    """
    name = f"finish_{dtype.name}_{epilogue.name}"
    if name not in module.definitions:
        f = LLVMFunction(module, name, ["ptr %elements", "i64 %count"], internal=True)
        lanes = block_length(module.target, dtype)
        wide, kind = vector_type(dtype, lanes), scalar_type(dtype)
        with f.loop("0", "%count", lanes) as first:
            address = f.offset("%elements", first, kind)
            total = f.load(wide, address, dtype.itemsize)
            done = epilogue.applied(Emitter(f), total, dtype, lanes)
            f.store(wide, done, address, dtype.itemsize)
        f.finish()
    return name


def matrix_finisher(module: LLVMModule, dtype: Dtype, epilogue: ProductEpilogue) -> str:
    """The function that applies an epilogue to a matrix in place; written on first use.

    Its arguments are the address, the stride of rows in elements, and the numbers of rows and columns.
    """
    name = f"finish_matrix_{dtype.name}_{epilogue.name}"
    if name not in module.definitions:
        _write(module, name, dtype, epilogue)
    return name


def _write(module: LLVMModule, name: str, dtype: Dtype, epilogue: ProductEpilogue) -> None:
    """Write the function for matrices: block by block, through a buffer."""
    f = LLVMFunction(module, name, _MATRIX, internal=True)
    kind, lanes = scalar_type(dtype), block_length(module.target, dtype)
    wide, finish = vector_type(dtype, lanes), block_finisher(module, dtype, epilogue)
    block = f.slot(wide)
    f.store(wide, "zeroinitializer", block)
    with f.loop("0", "%rows") as row, f.loop("0", "%columns", lanes) as column:
        index = f.add(f.mul(row, "%lead"), column)
        address = f.offset("%matrix", index, kind)
        left = f.sub("%columns", column)
        count = f.least(left, lanes)
        size = f.mul(count, dtype.itemsize)
        f.copy(block, address, size)
        f.run(f"@{finish}", ("ptr", block), ("i64", lanes))
        f.copy(address, block, size)
    f.finish()
