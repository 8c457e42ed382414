"""``mx.nd.np``: NumPy's functions on arrays."""

from typing import Any

from gluonic.ndarray.numpy import _internal, indexing, linalg, protocols, random
from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.numpy.operators import EAGER
from gluonic.numpy_functions.methods import add_to
from gluonic.numpy_functions.table import bound, callable_as_operators

functions = bound("np", EAGER, __name__)
globals().update({**functions, **callable_as_operators(functions, "_np_", EAGER)})
add_to(ndarray, functions, in_place=True)
__all__ = ["linalg", "ndarray", "random", *functions]
_: Any = indexing, protocols, _internal
