"""Sparse arrays for tests."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.memory import allocating
from gluonic.ndarray import NDArray
from gluonic.ndarray.sparse import CSRNDArray, csr_matrix, row_sparse_array
from gluonic.test_utils.arrays import assign_each
from gluonic.test_utils.comparison import default_context, default_dtype

Modifier = Callable[[float], float] | None


@allocating("random numbers")
def rand_sparse_ndarray(
    shape: Sequence[int],
    stype: str,
    density: float | None = None,
    dtype: Any = None,
    distribution: str | None = None,
    data_init: float | None = None,
    rsp_indices: Any = None,
    modifier_func: Modifier = None,
    shuffle_csr_indices: bool = False,
    ctx: Any = None,
) -> tuple[Any, tuple[Any, ...]]:
    """Return a random sparse array and its parts.

    Parameters
    ----------
    shape, stype, dtype, ctx : its shape, storage type, dtype (float32 by default) and context
    density : the fraction of the elements, or of the rows, that is stored; random by default
    distribution : for a csr array, ``uniform``, or ``powerlaw`` where each row stores twice as much as the
        one before
    data_init : the value of all stored elements
    rsp_indices : the rows that a row_sparse array stores
    modifier_func : a function applied to each stored number of a row_sparse array
    shuffle_csr_indices : whether the columns of a row are in random order

    Returns
    -------
    tuple
        the array; and ``(data, indices)`` for a row_sparse array, ``(indptr, indices, data)`` for a csr array
    """
    density = float(np.random.rand()) if density is None else density
    dtype = default_dtype() if dtype is None else dtype
    ctx = ctx or default_context()
    if stype == "row_sparse":
        if distribution not in (None, "uniform"):
            raise AssertionError(f"Distribution {distribution} not supported for row_sparse")
        return _rows(shape, density, dtype, data_init, rsp_indices, modifier_func, ctx)
    if stype != "csr" or len(shape) != 2:
        raise AssertionError(f"unknown storage type {stype!r} for the shape {tuple(shape)}")
    makers = {None: _uniform, "uniform": _uniform, "powerlaw": _powerlaw}
    if distribution not in makers:
        raise AssertionError(f"Distribution not supported: {distribution}")
    rows, columns = shape
    if not 0 <= density <= 1:
        raise ValueError(f"density has to be between 0 and 1, not {density}")
    if rows <= 0 or columns <= 0:
        raise ValueError(f"a matrix of {rows} rows and {columns} columns has no elements")
    made = makers[distribution](rows, columns, density, dtype, data_init, shuffle_csr_indices)
    found: Any = made.as_in_context(ctx)
    return found, (found.indptr, found.indices, found.data)


@allocating("random numbers")
def rand_ndarray(
    shape: Sequence[int],
    stype: str = "default",
    density: float | None = None,
    dtype: Any = None,
    modifier_func: Modifier = None,
    shuffle_csr_indices: bool = False,
    distribution: str | None = None,
    ctx: Any = None,
) -> NDArray:
    """Return an NDArray of random numbers: from -1 to 1 in a dense one, from 0 to 1 in a sparse one.

    Parameters
    ----------
    shape, dtype, ctx : its shape, dtype (float32 by default) and context
    stype : ``"default"``, ``"csr"`` or ``"row_sparse"``
    modifier_func : a function applied to each number
    density, shuffle_csr_indices, distribution : for sparse arrays; see `rand_sparse_ndarray`
    """
    if stype != "default":
        return rand_sparse_ndarray(  # type: ignore[no-any-return]
            shape, stype, density, dtype, distribution, modifier_func=modifier_func,
            shuffle_csr_indices=shuffle_csr_indices, ctx=ctx,
        )[0]  # fmt: skip
    drawn = np.random.uniform(-1.0, 1.0, tuple(shape))
    if modifier_func is not None:
        drawn = assign_each(drawn, modifier_func)
    return nd.array(drawn, ctx=ctx, dtype=default_dtype() if dtype is None else dtype)


def _rows(
    shape: Sequence[int],
    density: float,
    dtype: Any,
    data_init: float | None,
    rsp_indices: Any,
    modifier_func: Modifier,
    ctx: Any,
) -> tuple[Any, tuple[Any, ...]]:
    if rsp_indices is None:
        indices = np.flatnonzero(np.random.rand(shape[0]) < density)
    else:
        indices = np.asarray(rsp_indices)
        if len(indices) > shape[0]:
            raise AssertionError(f"{len(indices)} rows of {shape[0]} cannot be stored")
    if not len(indices):
        zeros = nd.zeros(tuple(shape), stype="row_sparse", dtype=dtype, ctx=ctx)
        return zeros, (np.array([], dtype), np.array([]))
    values = np.random.rand(len(indices), *shape[1:]).astype(dtype)
    if data_init is not None:
        values.fill(data_init)
    if modifier_func is not None:
        values = assign_each(values, modifier_func)
    array = row_sparse_array((values, indices), shape=tuple(shape), dtype=dtype, ctx=ctx)
    return array, (values, indices)


def _uniform(
    rows: int,
    columns: int,
    density: float,
    dtype: Any,
    data_init: float | None,
    shuffle: bool,
) -> CSRNDArray:
    from scipy import sparse

    matrix = sparse.random(rows, columns, density, "csr", dtype, random_state=np.random)
    if data_init is not None:
        matrix.data.fill(data_init)
    if shuffle:
        shuffle_csr_column_indices(matrix)
    parts = matrix.data, matrix.indices, matrix.indptr
    return csr_matrix(parts, shape=(rows, columns), dtype=dtype)


def _powerlaw(
    rows: int,
    columns: int,
    density: float,
    dtype: Any,
    data_init: float | None,
    shuffle: bool,
) -> CSRNDArray:
    """Rows of 2, 4, 8, … elements until all are used; each further row has one."""
    left = int(rows * columns * density)
    if left < 2 * rows:
        raise ValueError(
            f"not supported for this density: {density} for this shape ({rows}, {columns}) "
            "Please keep : num_rows * num_cols * density >= 2 * num_rows"
        )
    left -= rows
    counts = np.ones(rows, np.int64)
    for row in range(rows):
        wanted = min(columns, 2 << min(row, 62)) - 1
        counts[row] += min(wanted, left)
        left -= min(wanted, left)
    if left:
        raise ValueError(
            f"not supported for this density: {density} for this shape ({rows},{columns})"
        )
    starts = np.concatenate([[0], np.cumsum(counts)])
    indices = np.arange(starts[-1]) - np.repeat(starts[:-1], counts)
    data = 1 + np.random.uniform(0.001, 2, int(starts[-1]))
    return csr_matrix((data, indices, starts), shape=(rows, columns), dtype=dtype)


def shuffle_csr_column_indices(csr: Any) -> None:
    """Shuffle the columns of each row of a SciPy matrix; the elements keep their order."""
    for begin, end in zip(csr.indptr[:-1], csr.indptr[1:], strict=True):
        np.random.shuffle(csr.indices[begin:end])


def create_sparse_array(
    shape: Sequence[int],
    stype: str,
    data_init: float | None = None,
    rsp_indices: Any = None,
    dtype: Any = None,
    modifier_func: Modifier = None,
    density: float = 0.5,
    shuffle_csr_indices: bool = False,
) -> Any:
    """Return a random sparse array, like `rand_sparse_ndarray`; `rsp_indices` may be in any order."""
    if rsp_indices is not None:
        rsp_indices = np.sort(np.asarray(rsp_indices))
    options = {"rsp_indices": rsp_indices} if stype == "row_sparse" else {}
    return rand_sparse_ndarray(
        shape, stype, density, dtype, None, data_init, modifier_func=modifier_func,
        shuffle_csr_indices=shuffle_csr_indices, **options,
    )[0]  # fmt: skip


def create_sparse_array_zd(
    shape: Sequence[int],
    stype: str,
    density: float,
    data_init: float | None = None,
    rsp_indices: Any = None,
    dtype: Any = None,
    modifier_func: Modifier = None,
    shuffle_csr_indices: bool = False,
) -> Any:
    """Return a random sparse array; only `rsp_indices` determine the rows that are stored."""
    if stype == "row_sparse":
        density = 0.0
    return create_sparse_array(
        shape, stype, data_init, rsp_indices, dtype, modifier_func, density, shuffle_csr_indices
    )
