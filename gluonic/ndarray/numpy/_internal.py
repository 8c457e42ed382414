"""The operators behind the functions of ``mx.nd.np``, by their names without a prefix."""

from gluonic.ndarray.numpy.operators import EAGER
from gluonic.numpy_functions.table import bound

functions = bound("np._internal", EAGER, __name__)
globals().update(functions)
