"""``mx.nd.npx``: functions on arrays of `mx.np` that NumPy does not have."""

from gluonic.ndarray.control_flow import cond, foreach, while_loop
from gluonic.ndarray.numpy.operators import EAGER
from gluonic.ndarray.numpy_extension import image, random
from gluonic.numpy_functions.table import bound, callable_as_operators

functions = bound("npx", EAGER, __name__)
globals().update({**functions, **callable_as_operators(functions, "_npx_", EAGER)})
__all__ = ["cond", "foreach", "image", "random", "while_loop", *functions]
