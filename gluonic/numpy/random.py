"""``mx.np.random``: random numbers."""

from typing import Any

from gluonic.ndarray.numpy.random import functions
from gluonic.random import seed as _seed_all

globals().update(functions)
__all__ = ["seed", *functions]


def seed(seed: int, ctx: Any = "all") -> None:
    """Seed all random numbers.

    Parameters
    ----------
    seed : any integer
    ctx : "all" or a context, as in `mx.random.seed`
    """
    _seed_all(seed, ctx)
