"""``mx.nd.np.linalg``: linear algebra on arrays."""

from gluonic.ndarray.numpy.operators import EAGER
from gluonic.numpy_functions.table import bound

functions = bound("np.linalg", EAGER, __name__)
globals().update(functions)
