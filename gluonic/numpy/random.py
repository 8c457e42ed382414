"""``mx.np.random``: random numbers."""

from typing import TYPE_CHECKING, Any

from gluonic.ndarray.numpy.random import functions
from gluonic.random import seed as _seed_all

__all__ = ["seed"]
if TYPE_CHECKING:
    from gluonic.numpy.typed import random as _typed
    from gluonic.numpy.typed.random import *

    __all__ += _typed.__all__
else:
    globals().update(functions)
    __all__ += [*functions]


def seed(seed: int, ctx: Any = "all") -> None:
    """Seed all random numbers.

    Parameters
    ----------
    seed : any integer
    ctx : "all" or a context, as in `mx.random.seed`
    """
    _seed_all(seed, ctx)
