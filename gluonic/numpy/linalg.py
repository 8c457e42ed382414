"""``mx.np.linalg``: linear algebra; functions that only NumPy has pass no gradient."""

from typing import TYPE_CHECKING

from gluonic.ndarray.numpy.linalg import functions
from gluonic.numpy.fallback import linalg_functions

__all__: list[str] = []
if TYPE_CHECKING:
    from gluonic.numpy.typed import linalg as _typed
    from gluonic.numpy.typed.linalg import *

    __all__ += _typed.__all__
else:
    globals().update({**linalg_functions, **functions})
    __all__ += [*linalg_functions, *functions]
