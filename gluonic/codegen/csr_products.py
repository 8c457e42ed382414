"""Products of csr matrices with dense ones: a block of columns stays in registers for a whole row."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.jit import LinkedLibrary, load
from gluonic.codegen.machine.target import host
from gluonic.graph.operator import Array

_BLOCKS = (256, 64, 16)
"""How many bytes of a row are in registers at once; what is left is computed one by one."""
_KINDS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}
DTYPES = frozenset(_KINDS)
"""The dtypes for which there is machine code."""
_ARGUMENTS = (
    *("ptr %starts", "ptr %indices", "ptr %data", "ptr %dense", "ptr %out"),
    *("i64 %rows", "i64 %columns"),
)


class _Writer:
    """Writes a product for one dtype.

    Parameters
    ----------
    dtype : of the elements
    transposed : whether the csr matrix is
    """

    def __init__(self, dtype: np.dtype, transposed: bool) -> None:
        self.kind, self.size, self.transposed = _KINDS[dtype], dtype.itemsize, transposed
        self.module = LLVMModule(host())
        self.f = LLVMFunction(self.module, "product", list(_ARGUMENTS))

    def function(self) -> tuple[Callable[..., None], LinkedLibrary]:
        """Compile it; the library is to be kept as long as the function."""
        f = self.f
        with f.loop("0", "%rows") as row:
            begin, end = (self._integer("%starts", n) for n in (row, f.add(row, 1)))
            start = "0"
            for width in (*(block // self.size for block in _BLOCKS), 1):
                stop = f.bits("%columns", -width)
                with f.loop(start, stop, width) as column:
                    self._block(width, row, column, begin, end)
                start = stop
        f.finish()
        text = self.module.text()
        library = load(text, ["product"], tuple(self.module.imports), symbols=self.module.symbols)
        made = ctypes.CFUNCTYPE(None, *(ctypes.c_size_t,) * len(_ARGUMENTS))(library["product"])
        return made, library

    def _block(self, width: int, row: str, column: str, begin: str, end: str) -> None:
        """Compute `width` columns of what a row of the csr matrix contributes."""
        f, vector = self.f, f"<{width} x {self.kind}>"
        own = self._place("%dense" if self.transposed else "%out", row, column)
        kept = f.slot(vector)
        first = self._vector(vector, own) if self.transposed else "zeroinitializer"
        f.store(vector, first, kept)
        with f.loop(begin, end) as k:
            there = self._place(
                "%out" if self.transposed else "%dense", self._integer("%indices", k), column
            )
            factor = self._splat(vector, width, k)
            held, other = f.load(vector, kept), self._vector(vector, there)
            a, b = (held, other) if self.transposed else (other, held)
            name = f"llvm.fma.v{width}f{8 * self.size}"
            total = f.call(name, vector, [(vector, factor), (vector, a), (vector, b)])
            target = there if self.transposed else kept
            f.store(vector, total, target, self.size)
        if not self.transposed:
            total = f.load(vector, kept)
            f.store(vector, total, own, self.size)

    def _integer(self, array: str, number: str) -> str:
        place = self.f.offset(array, number, "i64")
        return self.f.load("i64", place)

    def _place(self, array: str, row: str, column: str) -> str:
        f = self.f
        number = f.add(f.mul(row, "%columns"), column)
        return f.offset(array, number, self.kind)

    def _vector(self, vector: str, place: str) -> str:
        return self.f.load(vector, place, self.size)

    def _splat(self, vector: str, width: int, k: str) -> str:
        f = self.f
        place = f.offset("%data", k, self.kind)
        one = f.load(self.kind, place)
        lane = f.op(f"insertelement {vector} poison, {self.kind} {one}, i64 0")
        return f.shuffle(vector, lane, "poison", [0] * width)


@lru_cache(maxsize=8)
def _product(dtype: np.dtype, transposed: bool) -> tuple[Callable[..., None], LinkedLibrary]:
    return _Writer(dtype, transposed).function()


def csr_product(
    data: Array, indices: Array, starts: Array, dense: Array, out: Array, *, transposed: bool
) -> None:
    """Multiply a csr matrix, or its transpose, with a dense one.

    Parameters
    ----------
    data, indices, starts : the csr matrix; its indices are known to be right
    dense : (columns of the matrix or rows of the transposed, columns), contiguous, of one of `DTYPES` as `data`
    out : the result, contiguous; zeros if `transposed`

    Raises
    ------
    ValueError
        if the numbers of rows do not go together
    """
    if len(dense if transposed else out) != len(starts) - 1:
        raise ValueError(f"{len(starts) - 1} rows do not go with {dense.shape} and {out.shape}")
    index = [np.ascontiguousarray(x, np.int64) for x in (starts, indices)]
    arrays = [*index, np.ascontiguousarray(data)]
    places = [address_of(x) for x in (*arrays, dense, out)]
    multiply, _ = _product(data.dtype, transposed)
    multiply(*places, len(starts) - 1, dense.shape[1])
