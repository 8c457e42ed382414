"""``mx.nd.npx.image``: operators on images as arrays."""

from gluonic.ndarray.numpy.operators import EAGER
from gluonic.numpy_functions.table import bound

functions = bound("npx.image", EAGER, __name__)
globals().update(functions)
