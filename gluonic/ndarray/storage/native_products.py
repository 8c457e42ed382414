"""Products of csr matrices in machine code, where they are large enough."""

import importlib
from types import ModuleType

import numpy as np

from gluonic.codegen import interpreting
from gluonic.graph import Array
from gluonic.graph.memory import allocated
from gluonic.graph.storage.products import compute_products_by
from gluonic.graph.storage.values import Csr

_WORTH_COMPILING = 1 << 18
"""For this many multiplications, or marks, SciPy or NumPy takes as long as our first call."""


class NativeProducts:
    """The products that machine code computes; see `Routines`."""

    def product(self, value: Csr, array: Array, transposed: bool) -> Array | None:
        """The product of a csr value, or of its transpose, with a matrix; None if SciPy is to compute it."""
        rows, columns = value.shape[transposed], array.shape[1]
        products = _code(len(value.data) * columns)
        if products is None or value.dtype not in products.DTYPES or array.dtype != value.dtype:
            return None
        found = allocated(np.zeros, (rows, columns), value.dtype, "a product")
        parts = value.data, value.indices, value.indptr
        dense = np.ascontiguousarray(array)
        products.csr_product(*parts, dense, found, transposed=transposed)
        return found

    def mark(self, numbers: Array, marks: Array) -> bool:
        """Set the booleans at the listed indices to true; return whether machine code did so."""
        products = _code(len(numbers))
        if products is None:
            return False
        products.mark(numbers, marks)
        return True


def _code(work: int) -> ModuleType | None:
    """The module of machine code, if there is enough work for it."""
    if work < _WORTH_COMPILING or interpreting():
        return None
    return importlib.import_module("gluonic.codegen.csr_products")


compute_products_by(NativeProducts())
