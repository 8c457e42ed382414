"""``mx.sym.npx.random``: more random numbers as symbols."""

from gluonic.numpy_functions.table import bound
from gluonic.symbol.numpy.operators import SYMBOLIC

functions = bound("npx.random", SYMBOLIC, __name__)
globals().update(functions)
