"""``mx.sym.np.linalg``: linear algebra on symbols."""

from gluonic.numpy_functions.table import bound
from gluonic.symbol.numpy.operators import SYMBOLIC

functions = bound("np.linalg", SYMBOLIC, __name__)
globals().update(functions)
