"""``nd.sparse``: operators that MXNet also has for sparse arrays, here on dense ones alone."""

from typing import Any, NoReturn

from gluonic.graph.errors import NotThereError
from gluonic.graph.namespaces import Functions
from gluonic.ndarray import arithmetic as _arithmetic
from gluonic.ndarray import creation as _creation
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.creation import array
from gluonic.ndarray.functions import make_function

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "RowSparseNDArray",
    "array",
    "csr_matrix",
    "empty",
    "row_sparse_array",
    "zeros",
]

globals().update(
    {name: vars(_arithmetic)[name] for name in ("add", "subtract", "multiply", "divide")}
)


def _refuse(name: str) -> NoReturn:
    raise NotThereError(f"nd.sparse.{name}: gluonic has no sparse arrays")


def csr_matrix(arg1: Any, shape: Any = None, ctx: Any = None, dtype: Any = None) -> NoReturn:
    """Raise: there are no sparse arrays."""
    _refuse("csr_matrix")


def row_sparse_array(arg1: Any, shape: Any = None, ctx: Any = None, dtype: Any = None) -> NoReturn:
    """Raise: there are no sparse arrays."""
    _refuse("row_sparse_array")


def zeros(stype: str, shape: Any, ctx: Any = None, dtype: Any = None, **kwargs: Any) -> NDArray:
    """Make an array of zeros; `stype` can only be ``"default"``."""
    made: NDArray = _creation.zeros(shape, ctx, dtype, stype=stype, **kwargs)
    return made


def empty(stype: str, shape: Any, ctx: Any = None, dtype: Any = None) -> NDArray:
    """Make an array; `stype` can only be ``"default"``."""
    return zeros(stype, shape, ctx, dtype)


class BaseSparseNDArray(NDArray):
    """What sparse arrays would be. There are none; programs ask whether an array is one."""

    def __init__(self, handle: Any, writable: bool = True) -> None:
        _refuse(type(self).__name__)


class CSRNDArray(BaseSparseNDArray):
    """What compressed sparse rows would be."""


class RowSparseNDArray(BaseSparseNDArray):
    """What arrays with few rows would be."""


_functions = Functions("sparse", globals(), make_function)
__getattr__ = _functions.find
__dir__ = _functions.names
