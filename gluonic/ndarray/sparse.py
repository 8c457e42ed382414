"""``nd.sparse``: its operators, on dense arrays; there are no sparse ones."""

from typing import Any

from gluonic.ndarray import op
from gluonic.ndarray.creation import array, empty, zeros

__all__ = ["array", "empty", "zeros"]


def csr_matrix(*arguments: Any, **keywords: Any) -> Any:
    """Raise: there are no sparse arrays."""
    raise NotImplementedError("nd.sparse.csr_matrix: gluonic has no sparse arrays")


def row_sparse_array(*arguments: Any, **keywords: Any) -> Any:
    """Raise: there are no sparse arrays."""
    raise NotImplementedError("nd.sparse.row_sparse_array: gluonic has no sparse arrays")


class BaseSparseNDArray:
    """What sparse arrays would be; there are none."""


class CSRNDArray(BaseSparseNDArray):
    """What compressed sparse rows would be; there are none."""


class RowSparseNDArray(BaseSparseNDArray):
    """What arrays with few rows would be; there are none."""


def __getattr__(name: str) -> Any:
    return getattr(op, name)
