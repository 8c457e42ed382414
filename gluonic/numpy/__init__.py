"""``mx.np``: arrays with NumPy's semantics."""

from gluonic.numpy.array import ndarray

__all__ = ["ndarray"]
