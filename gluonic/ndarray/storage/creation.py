"""Creation of sparse arrays: from their parts, coordinates, SciPy's matrices, dense arrays, or as zeros."""

from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.dtypes import as_dtype
from gluonic.graph.errors import CallError, describe
from gluonic.graph.storage.values import (
    CSR,
    DEFAULT,
    KINDS,
    ROW_SPARSE,
    Csr,
    RowSparse,
    StorageError,
)
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.context import Context
from gluonic.ndarray.creation import array as dense_array
from gluonic.ndarray.creation import as_shape
from gluonic.ndarray.creation import zeros as dense_zeros
from gluonic.ndarray.storage.arrays import (
    BaseSparseNDArray,
    CSRNDArray,
    RowSparseNDArray,
    host_context,
    made,
    zeros_of,
)
from gluonic.ndarray.storage.copies import is_scipy, is_sparse, sparse_copy

_SPARSE = (CSR, ROW_SPARSE)


class SourceError(CallError, TypeError):
    """A sparse array cannot be made from the arguments."""


def _check_shape(found: Any, wanted: Any) -> None:
    if found is not None and wanted is not None and tuple(found) != tuple(wanted):
        raise StorageError(f"Shape mismatch detected. {tuple(found)} v.s. {tuple(wanted)}")


def _default_dtype(source: Any, dtype: Any) -> Any:
    if dtype is not None:
        return as_dtype(dtype)
    if isinstance(source, (NDArray, np.ndarray)) or is_scipy(source):
        return as_dtype(source.dtype)
    return np.dtype(np.float32)


def _numpy(source: Any, dtype: Any) -> Array:
    """A copy of an array-like as NumPy array of that dtype."""
    try:
        return np.array(
            source.asnumpy() if isinstance(source, NDArray) else source, dtype, order="C"
        )
    except (TypeError, ValueError) as error:
        raise SourceError(f"values must be array like object: {error}") from None


def _indices(source: Any) -> Array:
    """Indices as int64: fractions are truncated, as in MXNet."""
    return _numpy(source, np.int64)


def _lengths(shape: Any) -> tuple[int, ...]:
    return as_shape(shape, "nd.sparse")


def _is_shape(source: tuple[Any, ...]) -> bool:
    return all(isinstance(each, (int, np.integer)) for each in source)


def csr_matrix(
    arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None
) -> CSRNDArray:
    """Make a `CSRNDArray`.

    Parameters
    ----------
    arg1 : the parts ``(data, indices, indptr)``; coordinates ``(data, (row, column))``, where duplicates
        are summed; a matrix of SciPy; another `CSRNDArray`; a dense matrix, whose nonzero elements
        are stored; or a shape ``(rows, columns)`` of zeros
    shape : the shape; by default, for parts, the least one that `indptr` and `indices` need
    ctx : the context; the current one by default
    dtype : the element type; that of `arg1` by default, if it has one, else float32

    Raises
    ------
    ValueError
        if `shape` contradicts `arg1`, or the parts are not vectors

    Examples
    --------
    >>> from gluonic import nd
    >>> x = nd.sparse.csr_matrix(([1, 2, 3], [1, 0, 2], [0, 1, 2, 3]), shape=(3, 3))
    >>> x.asnumpy().tolist()
    [[0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 3.0]]
    """
    if isinstance(arg1, tuple):
        if len(arg1) == 3:
            return _csr_of_parts(*arg1, shape, ctx, dtype)
        if len(arg1) != 2:
            raise StorageError(f"Unexpected length of input tuple: {len(arg1)}")
        if isinstance(arg1[1], tuple) and len(arg1[1]) == 2:
            return _csr_of_coordinates(arg1[0], *arg1[1], shape, ctx, dtype)
        _check_shape(arg1, shape)
        return empty(CSR, arg1, ctx, dtype)  # type: ignore[return-value]
    if isinstance(arg1, RowSparseNDArray):
        raise StorageError("Unexpected input type: RowSparseNDArray")
    return _converted(CSR, arg1, shape, ctx, dtype)  # type: ignore[return-value]


def _csr_of_parts(
    data: Any, indices: Any, indptr: Any, shape: Any, ctx: Any, dtype: Any
) -> CSRNDArray:
    data = _numpy(data, _default_dtype(data, dtype))
    indices, indptr = _indices(indices), _indices(indptr)
    if data.ndim != 1 or indices.ndim != 1 or indptr.ndim != 1 or not len(indptr):
        raise StorageError(
            f"invalid shape: of {data.shape}, {indices.shape} and {indptr.shape} none is a csr array"
        )
    if shape is None:
        if not len(indices):
            raise StorageError("invalid shape: without indices it must be given")
        shape = len(indptr) - 1, int(indices.max()) + 1
    if len(_lengths(shape)) != 2:
        raise StorageError(f"invalid shape: a csr array has two axes, not {shape}")
    value = Csr(data, indices, indptr, _lengths(shape))
    return made(value, host_context(ctx))  # type: ignore[return-value]


def _csr_of_coordinates(
    data: Any, row: Any, column: Any, shape: Any, ctx: Any, dtype: Any
) -> CSRNDArray:
    from scipy.sparse import coo_matrix

    given = [_numpy(x, None) if isinstance(x, NDArray) else x for x in (data, row, column)]
    matrix = coo_matrix((given[0], (given[1], given[2])), None if shape is None else tuple(shape))
    return array(matrix.tocsr(), ctx, dtype)  # type: ignore[return-value]


def row_sparse_array(
    arg1: Any, shape: Any = None, ctx: Context | None = None, dtype: Any = None
) -> RowSparseNDArray:
    """Make a `RowSparseNDArray`.

    Parameters
    ----------
    arg1 : the parts ``(data, indices)``; another `RowSparseNDArray`; a dense array, whose rows with a
        nonzero element are stored; or a shape of zeros
    shape : the shape; by default, for parts, with the number of rows that the last index needs
    ctx : the context; the current one by default
    dtype : the element type; that of `arg1` by default, if it has one, else float32

    Raises
    ------
    ValueError
        if `shape` contradicts `arg1`

    Examples
    --------
    >>> from gluonic import nd
    >>> x = nd.sparse.row_sparse_array(([[1, 2]], [2]), shape=(4, 2))
    >>> x.asnumpy().tolist()
    [[0.0, 0.0], [0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]
    """
    if isinstance(arg1, tuple):
        if len(arg1) < 2:
            raise StorageError(f"Unexpected length of input tuple: {len(arg1)}")
        if len(arg1) == 2 and not _is_shape(arg1):
            return _rows_of_parts(*arg1, shape, ctx, dtype)
        _check_shape(arg1, shape)
        return empty(ROW_SPARSE, arg1, ctx, dtype)  # type: ignore[return-value]
    if isinstance(arg1, CSRNDArray):
        raise StorageError("Unexpected input type: CSRNDArray")
    return _converted(ROW_SPARSE, arg1, shape, ctx, dtype)  # type: ignore[return-value]


def _rows_of_parts(data: Any, indices: Any, shape: Any, ctx: Any, dtype: Any) -> RowSparseNDArray:
    data, indices = _numpy(data, _default_dtype(data, dtype)), _indices(indices)
    if shape is None:
        if indices.ndim != 1 or not len(indices):
            raise StorageError("invalid shape: without indices it must be given")
        shape = int(indices[-1]) + 1, *data.shape[1:]
    lengths = _lengths(shape)
    if data.ndim != len(lengths) or indices.ndim != 1 or 0 in lengths[1:]:
        raise StorageError(
            f"invalid shape: rows of shape {data.shape} and indices of shape {indices.shape} are no array "
            f"of shape {lengths}"
        )
    return made(RowSparse(data, indices, lengths), host_context(ctx))  # type: ignore[return-value]


def _converted(kind: str, source: Any, shape: Any, ctx: Any, dtype: Any) -> BaseSparseNDArray:
    """A sparse array converted from another one, or from a dense one."""
    if isinstance(source, BaseSparseNDArray) or (kind == CSR and is_scipy(source)):
        _check_shape(source.shape, shape)
        return array(source, ctx, dtype)
    dense = dense_array(source, None, _default_dtype(source, dtype))
    _check_shape(dense.shape, shape)
    found: Any = dense.as_in_context(host_context(ctx) or dense.context).tostype(kind)
    return found  # type: ignore[no-any-return]


def zeros(
    stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None, **kwargs: Any
) -> NDArray:
    """Make an array of zeros.

    Parameters
    ----------
    stype : ``"csr"``, ``"row_sparse"`` or ``"default"``
    shape : the lengths of the axes
    ctx : the context; the current one by default
    dtype : the element type, float32 by default
    """
    if stype == DEFAULT:
        return dense_zeros(shape, ctx, dtype, **kwargs)
    if stype not in _SPARSE:
        raise StorageError(f"unknown storage type {stype!r}: one of {', '.join(KINDS)}")
    kind = "float32" if dtype is None else dtype
    return zeros_of(stype, as_shape(shape, "zeros"), kind, host_context(ctx))


def empty(stype: str, shape: Any, ctx: Context | None = None, dtype: Any = None) -> NDArray:
    """Make a sparse array that stores nothing; see `zeros`.

    Parameters
    ----------
    stype : ``"csr"`` or ``"row_sparse"``
    shape : the extents
    ctx : the context; the current one by default
    dtype : the element type, by default float32
    """
    if stype not in _SPARSE:
        raise StorageError(f"unknown stype : {stype}")
    return zeros(stype, shape, ctx, dtype)


def array(source_array: Any, ctx: Context | None = None, dtype: Any = None) -> BaseSparseNDArray:
    """Make a copy of a sparse array.

    Parameters
    ----------
    source_array : a `CSRNDArray`, a `RowSparseNDArray` or a sparse matrix of SciPy
    ctx : the context; the current one by default
    dtype : the element type; that of `source_array` by default
    """
    if is_sparse(source_array):
        return sparse_copy(source_array, ctx, dtype)
    if isinstance(source_array, (NDArray, np.ndarray, np.generic)):
        raise SourceError(
            describe(
                f"a dense {type(source_array).__name__} was given",
                where="nd.sparse.array",
                hint="mx.nd.array(source), and tostype('csr') or tostype('row_sparse') of it",
            )
        )
    raise SourceError(f"Unexpected source_array type: {type(source_array)}")
