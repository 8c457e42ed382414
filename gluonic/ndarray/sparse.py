"""``nd.sparse``: sparse arrays, and operators that return sparse arrays.

`csr_matrix` and `row_sparse_array` make them. An operator that does not take sparse arrays is computed
with dense copies, and a warning says so.
"""

from typing import TYPE_CHECKING, Any

from gluonic.graph.namespaces import Functions
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.functions import make_function
from gluonic.ndarray.storage import methods, native_products
from gluonic.ndarray.storage.arithmetic import functions as _arithmetic
from gluonic.ndarray.storage.arrays import BaseSparseNDArray, CSRNDArray, RowSparseNDArray
from gluonic.ndarray.storage.creation import array, csr_matrix, empty, row_sparse_array, zeros

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "NDArray",
    "RowSparseNDArray",
    "array",
    "csr_matrix",
    "empty",
    "row_sparse_array",
    "zeros",
]

_: Any = (methods, native_products)

globals().update(_arithmetic)

_functions = Functions("sparse", globals(), make_function)
if TYPE_CHECKING:
    from gluonic.ndarray.typed.sparse import *
else:
    __getattr__ = _functions.find
__dir__ = _functions.names

gs_retain = _functions.namespace["retain"]
