"""``mx.np.random``: random numbers."""

from gluonic.ndarray.numpy.random import functions
from gluonic.random import seed

globals().update(functions)
__all__ = ["seed", *functions]
