"""``mx.np``: arrays with NumPy's semantics, and NumPy's functions on them."""

from gluonic.ndarray.numpy import functions
from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.numpy.creation import array
from gluonic.numpy.fallback import functions as _of_numpy

globals().update({**_of_numpy, **functions})

__all__ = ["array", "ndarray", *_of_numpy, *functions]
