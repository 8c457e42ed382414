"""``mx.npx.random``: random numbers that NumPy does not have."""

from typing import TYPE_CHECKING

from gluonic.ndarray.numpy_extension.random import functions
from gluonic.numpy.random import seed

__all__ = ["seed"]
if TYPE_CHECKING:
    from gluonic.numpy_extension.typed import random as _typed
    from gluonic.numpy_extension.typed.random import *

    __all__ += _typed.__all__
else:
    globals().update(functions)
    __all__ += [*functions]
