"""``mx.sym.npx``: functions on symbols of `mx.np` that NumPy does not have."""

from gluonic.numpy_functions.table import bound, callable_as_operators
from gluonic.symbol import contrib
from gluonic.symbol.numpy.operators import SYMBOLIC
from gluonic.symbol.numpy_extension import image, random

functions = bound("npx", SYMBOLIC, __name__)
globals().update({**functions, **callable_as_operators(functions, "_npx_", SYMBOLIC)})
foreach, while_loop, cond = contrib.foreach, contrib.while_loop, contrib.cond
__all__ = ["cond", "foreach", "image", "random", "while_loop", *functions]
