"""The operators behind the functions of ``mx.sym.np``, by their names without a prefix."""

from gluonic.numpy_functions.table import bound
from gluonic.symbol.numpy.operators import SYMBOLIC

functions = bound("np._internal", SYMBOLIC, __name__)
globals().update(functions)
