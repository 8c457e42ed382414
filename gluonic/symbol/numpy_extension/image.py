"""``mx.sym.npx.image``: operators on images as symbols."""

from gluonic.numpy_functions.table import bound
from gluonic.symbol.numpy.operators import SYMBOLIC

functions = bound("npx.image", SYMBOLIC, __name__)
globals().update(functions)
