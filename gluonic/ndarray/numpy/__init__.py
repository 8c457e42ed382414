"""``mx.nd.np``: NumPy's functions on arrays."""

from gluonic.ndarray.numpy.operators import EAGER
from gluonic.numpy_functions.table import bound

functions = bound("np", EAGER, __name__)
globals().update(functions)
