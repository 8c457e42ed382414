"""Rows of row_sparse values in a store."""

import numpy as np

from gluonic.graph.errors import MXNetError, OutOfRangeError, describe
from gluonic.graph.storage.pairs import take_rows
from gluonic.graph.storage.values import known_rows
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.storage.arrays import RowSparseNDArray

_WHERE = "kvstore.row_sparse_pull"


def pull_rows(stored: NDArray, target: NDArray, row_ids: NDArray) -> None:
    """Replace the contents of an array by some rows of a stored value.

    Parameters
    ----------
    stored, target : row_sparse arrays of one shape
    row_ids : the indices of the rows, of any shape and dtype; repetitions do not matter

    Raises
    ------
    MXNetError
        if an array is not row_sparse, or there is no such row
    """
    for array, what in ((stored, "the stored value"), (target, "out=")):
        if not isinstance(array, RowSparseNDArray):
            raise MXNetError(
                describe(f"{what} must be row_sparse, not {array.stype}", where=_WHERE, hint="pull")
            )
    assert isinstance(stored, RowSparseNDArray)
    assert isinstance(target, RowSparseNDArray)
    rows = np.unique(row_ids.asnumpy().astype(np.int64))
    if len(rows) and not 0 <= rows[0] <= rows[-1] < len(stored):
        raise OutOfRangeError(
            describe(f"rows {rows[0]} to {rows[-1]} of {len(stored)} rows", where=_WHERE)
        )
    target.stored = known_rows(take_rows(stored.stored, rows), rows, stored.shape)
