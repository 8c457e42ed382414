"""``mx.nd.np.random``: random numbers as arrays."""

from gluonic.ndarray.numpy.operators import EAGER
from gluonic.numpy_functions.table import bound

functions = bound("np.random", EAGER, __name__)
globals().update(functions)
