"""Operators that MXNet has for sparse arrays; here they also take dense ones, where that makes sense."""

from typing import Any

import numpy as np

from gluonic.graph.axes import require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.families import elementwise
from gluonic.graph.indices import positions
from gluonic.graph.operator import Array, operator
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, title_of


@operator("_sparse_retain", dtype=like("data"))
def sparse_retain(data: Array, indices: Array) -> Any:
    """Keep some rows and set others to zero; in a row_sparse array the others are removed.

    Parameters
    ----------
    data : an array of at least one axis
    indices : the indices of the rows to keep, a vector of any dtype
    """
    rows = positions(indices, len(data), "raise", "_sparse_retain")
    result = np.zeros_like(data)
    result[rows] = data[rows]
    return result


@sparse_retain.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.indices, (1,), f"{title_of(n)}: indices")
    if n.data == ():
        raise InferenceError(f"{title_of(n)}: a number has no rows; data must have an axis")
    like("data")(n)


sparse_retain.gradient(data=lambda F, n, g: F._sparse_retain(g, n.indices))


@operator("_contrib_getnnz")
def getnnz(data: Array, *, axis: int | None = None) -> Any:
    """Count the stored elements of a csr array, or the non-zero elements of a dense one.

    Parameters
    ----------
    data : a matrix
    axis : 1 counts in each row, None in the whole matrix
    """
    return np.count_nonzero(data, axis=axis)


@getnnz.infer_shape
def _(n: NodeView) -> None:
    if n.axis not in (None, 1):
        raise InferenceError(f"{title_of(n)}: axis must be None or 1, not {n.axis}")
    require_rank(n.data, (2,), f"{title_of(n)}: data")
    n.output = (1,) if n.axis is None else (n.data[0],)


@getnnz.infer_dtype
def _(n: NodeView) -> None:
    n.output = np.dtype(np.int64)


getnnz.gradient()


@operator("_contrib_edge_id")
def edge_id(data: Array, u: Array, v: Array) -> Any:
    """Look up elements stored in a csr matrix: the ids of edges, in a graph's adjacency matrix.

    Parameters
    ----------
    data : a matrix; in a dense one, non-zero elements count as stored
    u, v : rows and columns, vectors of equal length and any dtype; fractions are truncated

    Returns
    -------
    vector of the dtype of `data`
        -1 where nothing is stored, and for indices out of bounds
    """
    rows, columns = u.astype(np.int64), v.astype(np.int64)
    within = (rows >= 0) & (rows < len(data)) & (columns >= 0) & (columns < data.shape[1])
    found = np.full(len(rows), -1).astype(data.dtype)
    stored = data[rows[within], columns[within]]
    found[within] = np.where(stored != 0, stored, found[within])
    return found


@edge_id.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.data, (2,), f"{title_of(n)}: data")
    require_rank(n.u, (1,), f"{title_of(n)}: u")
    n.v = n.output = n.u


edge_id.infer_dtype(like("data"))
edge_id.gradient()


@elementwise("_scatter_plus_scalar")
def scatter_plus_scalar(m: Any, data: Any, *, scalar: float) -> Any:
    """``data + scalar``; in a sparse array only for stored elements."""
    return data + scalar


@elementwise("_scatter_minus_scalar")
def scatter_minus_scalar(m: Any, data: Any, *, scalar: float) -> Any:
    """``data - scalar``; in a sparse array only for stored elements."""
    return data - scalar


@elementwise("_scatter_elemwise_div")
def scatter_elemwise_div(m: Any, lhs: Any, rhs: Any) -> Any:
    """``lhs / rhs``; in a row_sparse `lhs` only for stored rows."""
    return lhs / rhs


for _op in (scatter_plus_scalar, scatter_minus_scalar):
    _op.gradient(data=lambda F, n, g: g)
scatter_elemwise_div.gradient(
    lhs=lambda F, n, g: g / n.rhs, rhs=lambda F, n, g: F.negative(g * n.lhs / (n.rhs * n.rhs))
)
