"""``mx.np``: arrays with NumPy's semantics, and NumPy's functions on them."""

from gluonic.ndarray.numpy import functions
from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.numpy.creation import array

globals().update(functions)

__all__ = ["array", "ndarray", *functions]
