"""``mx.sym.np``: NumPy's functions on symbols."""

from gluonic.numpy_functions.table import bound
from gluonic.symbol.numpy.operators import SYMBOLIC

functions = bound("np", SYMBOLIC, __name__)
globals().update(functions)
