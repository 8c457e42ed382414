"""Products of csr matrices in machine code, where they are large enough."""

import importlib

import numpy as np

from gluonic.codegen import interpreting
from gluonic.graph import Array
from gluonic.graph.memory import allocated
from gluonic.graph.storage.products import compute_products_by
from gluonic.graph.storage.values import Csr

_WORTH_LOADING = 1 << 18
"""So many products of elements take SciPy as long as a call of ours takes at first."""


def native_product(value: Csr, array: Array, transposed: bool) -> Array | None:
    """The product of a csr value, or of its transpose, with a matrix; None if SciPy is to compute it."""
    rows, columns = value.shape[transposed], array.shape[1]
    if len(value.data) * columns < _WORTH_LOADING or interpreting():
        return None
    products = importlib.import_module("gluonic.codegen.csr_products")
    if value.dtype not in products.DTYPES or array.dtype != value.dtype:
        return None
    make = np.zeros if transposed else np.empty
    found = allocated(make, (rows, columns), value.dtype, "a product")
    parts = value.data, value.indices, value.indptr
    products.csr_product(*parts, np.ascontiguousarray(array), found, transposed=transposed)
    return found


compute_products_by(native_product)
