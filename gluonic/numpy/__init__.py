"""``mx.np``: arrays with NumPy's semantics."""

from typing import Any

from gluonic.numpy import indexing
from gluonic.numpy.array import ndarray

__all__ = ["ndarray"]
_: Any = indexing
