"""``mx.nd.npx``: functions on arrays of `mx.np` that NumPy does not have."""

from gluonic.ndarray.numpy.operators import EAGER
from gluonic.numpy_functions.table import bound

functions = bound("npx", EAGER, __name__)
globals().update(functions)
