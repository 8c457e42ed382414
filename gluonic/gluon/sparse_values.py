"""Values of parameters that are row_sparse or csr."""

from typing import Any, NoReturn

import numpy as np

from gluonic.gluon import parameter_errors as errors
from gluonic.graph.storage.values import RowSparse, stored_zeros
from gluonic.ndarray import NDArray
from gluonic.ndarray.kernels import overwrite
from gluonic.ndarray.storage.arrays import BaseSparseNDArray, made
from gluonic.ndarray.storage.dispatch import assign


def with_all_rows(value: NDArray, stype: str) -> NDArray:
    """Convert a new value to a storage type; a row_sparse one stores all rows, including those of zeros."""
    if stype != "row_sparse" or isinstance(value, BaseSparseNDArray):
        return value if value.stype == stype else value.tostype(stype)
    return made(RowSparse(value.elements, np.arange(len(value)), value.shape), value.stated_context)


def set_to_zero(array: NDArray) -> None:
    """Set an array of any storage type to zero."""
    if array.is_sparse:
        assign(array, stored_zeros(array.stype, array.shape, array.dtype))
    else:
        overwrite(array, 0)


def _require_array(row_id: Any) -> None:
    if not isinstance(row_id, NDArray):
        raise TypeError(f"row_id must have NDArray type, but {type(row_id)} is given")


class RowsOfParameter:
    """Access to the rows of a row_sparse parameter, which a trainer's store holds."""

    _stype: str
    _trainer: Any

    def _get_row_sparse(self, arr_list: Any, ctx: Any, row_id: NDArray) -> Any:
        """Let the trainer copy rows into the arrays on a context, or on all contexts if `ctx` is ``list``."""
        if self._trainer is None:
            raise errors.no_trainer(self)  # type: ignore[arg-type]
        arrays = self._check_and_get(arr_list, ctx)  # type: ignore[attr-defined]
        self._trainer.pull_rows(self, arrays, row_id)
        return arrays

    def row_sparse_data(self, row_id: NDArray) -> NDArray:
        """Return rows of a row_sparse parameter from its trainer, on the context of `row_id`.

        Parameters
        ----------
        row_id : the indices of the rows, of any shape; repetitions do not matter

        Returns
        -------
        RowSparseNDArray
            of the parameter's shape, with these rows stored

        Raises
        ------
        RuntimeError
            if the parameter is dense, or has no trainer
        """
        if self._stype != "row_sparse":
            raise errors.not_row_sparse(self, "data()")  # type: ignore[arg-type]
        _require_array(row_id)
        return self._get_row_sparse(self._data, row_id.context, row_id)  # type: ignore[attr-defined, no-any-return]

    def list_row_sparse_data(self, row_id: NDArray) -> list[NDArray]:
        """Return rows of a row_sparse parameter on all contexts; see `row_sparse_data`."""
        if self._stype != "row_sparse":
            raise errors.not_row_sparse(self, "list_data()")  # type: ignore[arg-type]
        _require_array(row_id)
        return self._get_row_sparse(self._data, list, row_id)  # type: ignore[attr-defined, no-any-return]

    def _refuse_rows(self) -> NoReturn:
        """Raise the error that only rows are available."""
        raise errors.only_rows(self)  # type: ignore[arg-type]
