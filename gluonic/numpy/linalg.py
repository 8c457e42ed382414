"""``mx.np.linalg``: linear algebra; functions that only NumPy has pass no gradient."""

from gluonic.ndarray.numpy.linalg import functions
from gluonic.numpy.fallback import linalg_functions

globals().update({**linalg_functions, **functions})
__all__ = [*linalg_functions, *functions]
