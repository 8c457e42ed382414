"""``mx.npx.random``: random numbers that NumPy does not have."""

from gluonic.ndarray.numpy_extension.random import functions
from gluonic.numpy.random import seed

globals().update(functions)
__all__ = ["seed", *functions]
