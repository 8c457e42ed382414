"""``mx.np``: arrays with NumPy's semantics, and NumPy's functions on them."""

from typing import Any

from gluonic.ndarray.numpy import functions
from gluonic.numpy import indexing
from gluonic.numpy.array import ndarray

globals().update(functions)

__all__ = ["ndarray", *functions]
_: Any = indexing
