"""``nd.sparse``: its operators, on dense arrays; there are no sparse ones."""

from typing import Any

from gluonic.ndarray import op
from gluonic.ndarray.arithmetic import functions as _arithmetic
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.creation import array, empty, zeros

__all__ = [
    "array",
    "cast_storage",
    "csr_matrix",
    "empty",
    "row_sparse_array",
    "zeros",
    *_arithmetic,
]

globals().update(_arithmetic)


def csr_matrix(*arguments: Any, **keywords: Any) -> Any:
    """Raise: there are no sparse arrays."""
    raise NotImplementedError("nd.sparse.csr_matrix: gluonic has no sparse arrays")


def row_sparse_array(*arguments: Any, **keywords: Any) -> Any:
    """Raise: there are no sparse arrays."""
    raise NotImplementedError("nd.sparse.row_sparse_array: gluonic has no sparse arrays")


def cast_storage(arr: NDArray, stype: str, out: NDArray | None = None) -> NDArray:
    """Return a copy in another storage type: there is only ``"default"``.

    Parameters
    ----------
    arr : the array
    stype : the storage type
    out : an array that receives the copy
    """
    copied = arr.tostype(stype)
    return copied if out is None else copied.copyto(out)  # type: ignore[no-any-return]


class BaseSparseNDArray:
    """What sparse arrays would be; there are none."""


class CSRNDArray(BaseSparseNDArray):
    """What compressed sparse rows would be; there are none."""


class RowSparseNDArray(BaseSparseNDArray):
    """What arrays with few rows would be; there are none."""


def __getattr__(name: str) -> Any:
    return getattr(op, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(op)})
