"""Products of csr matrices with dense ones.

For each row of the csr matrix, a block of columns stays in registers. The rows of the other matrix are read or
written in the order of the stored elements, so it is divided into parts that fit the cache: first the elements
of each row that belong to one part are processed, then those that belong to the next.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

import numpy as np

from gluonic.codegen.machine.addresses import address_of
from gluonic.codegen.machine.assembler import LLVMFunction, LLVMModule
from gluonic.codegen.machine.jit import LinkedLibrary, load
from gluonic.codegen.machine.target import host
from gluonic.graph import Array

_BLOCKS = (256, 64, 16)
"""The bytes of a row that are in registers at once; the remainder is computed element by element."""
_LINE = 64
_KINDS = {np.dtype(np.float32): "float", np.dtype(np.float64): "double"}
DTYPES = frozenset(_KINDS)
"""The dtypes for which there is machine code."""
_PART = 5 << 18
"""The bytes of a part: a level 2 cache of 2 MiB, minus the memory of other accesses."""
_WORTH_PARTS = 4
"""The least average number of a row's elements in a part: advancing to another row takes time, too."""
_AHEAD = 8
"""The prefetch distance of stored elements, in rows: with parts they are read from scattered addresses."""
_EVERY = 2**63 - 1
_ARGUMENTS = (
    *("ptr %reached", "ptr %starts", "ptr %indices", "ptr %data", "ptr %dense", "ptr %out"),
    *("i64 %rows", "i64 %columns", "i64 %bound"),
)


class _Writer:
    """Writes a product for one dtype.

    Parameters
    ----------
    dtype : of the elements
    transposed : whether the csr matrix is transposed
    """

    def __init__(self, dtype: np.dtype, transposed: bool) -> None:
        self.kind, self.size, self.transposed = _KINDS[dtype], dtype.itemsize, transposed
        self.module = LLVMModule(host())
        self.f = LLVMFunction(self.module, "product", _ARGUMENTS)

    def function(self) -> _Compiled:
        """Compile it."""
        f = self.f
        last = f.sub("%rows", 1)
        with f.loop("0", "%rows") as row:
            self._ask_ahead(_integer(f, "%reached", f.least(f.add(row, _AHEAD), last)))
            begin, end = self._elements(row)
            start = "0"
            for width in (*(block // self.size for block in _BLOCKS), 1):
                stop = f.bits("%columns", -width)
                with f.loop(start, stop, width) as column:
                    self._block(width, row, column, begin, end)
                start = stop
        return _compiled(f, len(_ARGUMENTS))

    def _ask_ahead(self, k: str) -> None:
        """Prefetch the elements from the `k`-th on: a cache line of data, and two of indices."""
        f = self.f
        for count in (0, _LINE // 8):
            f.fetch(f.offset("%indices", f.add(k, count), "i64"))
        f.fetch(f.offset("%data", k, self.kind))

    def _elements(self, row: str) -> tuple[str, str]:
        """The range of a row's elements in this part; the next part begins at its end."""
        f = self.f
        reached = f.offset("%reached", row, "i64")
        begin, stop = f.load("i64", reached), _integer(f, "%starts", f.add(row, 1))
        whole = f.compare("eq", "%bound", str(_EVERY))
        end = f.first_without(
            f.select(whole, stop, begin),
            stop,
            lambda k: f.compare("slt", _integer(f, "%indices", k), "%bound"),
        )
        f.store("i64", end, reached)
        return begin, end

    def _block(self, width: int, row: str, column: str, begin: str, end: str) -> None:
        """Compute `width` columns of the contribution of a row of the csr matrix."""
        f, vector = self.f, f"<{width} x {self.kind}>"
        own = self._address("%dense" if self.transposed else "%out", row, column)
        kept = f.slot(vector)
        f.store(vector, self._vector(vector, own), kept)
        with f.loop(begin, end) as k:
            other_row = _integer(f, "%indices", k)
            there = self._address("%out" if self.transposed else "%dense", other_row, column)
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

    def _address(self, array: str, row: str, column: str) -> str:
        f = self.f
        number = f.add(f.mul(row, "%columns"), column)
        return f.offset(array, number, self.kind)

    def _vector(self, vector: str, address: str) -> str:
        return self.f.load(vector, address, self.size)

    def _splat(self, vector: str, width: int, k: str) -> str:
        f = self.f
        address = f.offset("%data", k, self.kind)
        one = f.load(self.kind, address)
        return f.splat(self.kind, one, width)


_Compiled: TypeAlias = tuple[Callable[..., None], LinkedLibrary]
"""A function, and the library to be kept alive as long as the function."""


def _integer(f: LLVMFunction, array: str, number: str) -> str:
    return f.load("i64", f.offset(array, number, "i64"))


def _compiled(f: LLVMFunction, arguments: int) -> _Compiled:
    f.finish()
    module = f.module
    library = load(module.text(), [f.name], tuple(module.imports), symbols=module.symbols)
    return ctypes.CFUNCTYPE(None, *(ctypes.c_size_t,) * arguments)(library[f.name]), library


@lru_cache(maxsize=8)
def _product(dtype: np.dtype, transposed: bool) -> _Compiled:
    return _Writer(dtype, transposed).function()


@lru_cache(maxsize=1)
def _marking() -> _Compiled:
    """A function that sets bytes to 1."""
    f = LLVMFunction(LLVMModule(host()), "mark", ["ptr %indices", "i64 %count", "ptr %marks"])
    with f.loop("0", "%count") as k:
        f.store("i8", 1, f.offset("%marks", _integer(f, "%indices", k)))
    return _compiled(f, 3)


def _integers(array: Array) -> Array:
    return np.ascontiguousarray(array, np.int64)


def mark(numbers: Array, marks: Array) -> None:
    """Set the booleans at the given indices to true; the indices must be within bounds."""
    numbers = _integers(numbers)
    marking, _ = _marking()
    marking(address_of(numbers), len(numbers), address_of(marks))


def csr_product(
    data: Array,
    indices: Array,
    starts: Array,
    dense: Array,
    out: Array,
    *,
    transposed: bool,
) -> None:
    """Add to an array the product of a csr matrix, or of its transpose, with a dense one.

    The order of additions depends only on the matrix; with ascending indices it is their order.

    Parameters
    ----------
    data, indices, starts : the csr matrix; its indices must be within bounds
    dense : (columns of the matrix or rows of the transposed, columns), contiguous, of one of `DTYPES` as `data`
    out : the array that the product is added to, contiguous

    Raises
    ------
    ValueError
        if the numbers of rows do not match
    """
    if len(dense if transposed else out) != len(starts) - 1:
        raise ValueError(f"{len(starts) - 1} rows do not go with {dense.shape} and {out.shape}")
    starts, indices = _integers(starts), _integers(indices)
    reached = starts[:-1].copy()
    arrays = (reached, starts, indices, np.ascontiguousarray(data), dense, out)
    addresses = [address_of(x) for x in arrays]
    multiply, _ = _product(data.dtype, transposed)
    walked = out if transposed else dense
    parts = _parts(walked.nbytes, len(data), len(reached))
    for bound in (*(len(walked) * part // parts for part in range(1, parts)), _EVERY):
        multiply(*addresses, len(reached), dense.shape[1], bound)


def _parts(size: int, stored: int, rows: int) -> int:
    """The number of parts into which an array of `size` bytes is divided."""
    parts = -(-size // _PART)
    return parts if stored >= _WORTH_PARTS * parts * rows else 1
