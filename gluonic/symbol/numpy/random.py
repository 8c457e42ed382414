"""``mx.sym.np.random``: random numbers as symbols."""

from gluonic.numpy_functions.table import bound
from gluonic.symbol.numpy.operators import SYMBOLIC

functions = bound("np.random", SYMBOLIC, __name__)
globals().update(functions)
