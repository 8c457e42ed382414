"""``mx.sym.npx``: functions on symbols of `mx.np` that NumPy does not have."""

from gluonic.numpy_functions.table import bound
from gluonic.symbol.numpy.operators import SYMBOLIC

functions = bound("npx", SYMBOLIC, __name__)
globals().update(functions)
