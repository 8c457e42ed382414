"""Copies of sparse arrays: of ours, or of SciPy's matrices."""

import sys
from typing import Any

from gluonic.graph.dtypes import as_dtype
from gluonic.graph.storage.values import Csr
from gluonic.ndarray.context import Context
from gluonic.ndarray.storage.arrays import BaseSparseNDArray, host_context, made


def is_scipy(source: Any) -> bool:
    """Whether an object is a sparse matrix or array of SciPy, in any format."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(source))


def is_sparse(source: Any) -> bool:
    """Whether an object is a sparse array, ours or SciPy's."""
    return isinstance(source, BaseSparseNDArray) or is_scipy(source)


def sparse_copy(source: Any, ctx: Context | None = None, dtype: Any = None) -> BaseSparseNDArray:
    """Copy a sparse array.

    Parameters
    ----------
    source : a `CSRNDArray`, a `RowSparseNDArray` or a sparse matrix of SciPy
    ctx : the context; the current one by default
    dtype : the element type; that of `source` by default
    """
    wanted = as_dtype(source.dtype if dtype is None else dtype)
    if isinstance(source, BaseSparseNDArray):
        copy: Any = source.stored.mapped(lambda data: data.astype(wanted))
    else:
        copy = Csr.of_scipy(source.copy(), wanted)
    return made(copy, host_context(ctx))  # type: ignore[return-value]
