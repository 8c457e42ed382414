"""``mx.sym.np``: NumPy's functions on symbols."""

from typing import Any

from gluonic.numpy_functions.methods import add_to
from gluonic.numpy_functions.refused_methods import refuse_methods
from gluonic.numpy_functions.table import bound, callable_as_operators
from gluonic.symbol.numpy import _internal, linalg, random
from gluonic.symbol.numpy.operators import SYMBOLIC
from gluonic.symbol.numpy.symbols import _Symbol

functions = bound("np", SYMBOLIC, __name__)
globals().update({**functions, **callable_as_operators(functions, "_np_", SYMBOLIC)})
add_to(_Symbol, functions, in_place=False)
refuse_methods(_Symbol)
_: Any = _internal
__all__ = ["linalg", "random", *functions]
