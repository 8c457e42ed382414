"""``mx.random``: the seed, and the samplers of `nd.random`."""

from typing import TYPE_CHECKING, Any

from gluonic.ndarray import random as _random
from gluonic.ndarray.context import Context
from gluonic.ndarray.random import *
from gluonic.ndarray.state import RANDOM

__all__ = ["seed"]
__all__ += _random.__all__


def seed(seed_state: int, ctx: Any = "all") -> None:
    """Seed the random numbers of samplers, dropout, shuffling and initialization.

    Parameters
    ----------
    seed_state : any integer
    ctx : ``"all"`` or a context. Contexts share their generators, as processors do in MXNet; where one is
        given, shuffling, choices and dropout between recurrent layers use another sequence.

    Raises
    ------
    ValueError
        if the seed is no integer
    """
    if not hasattr(seed_state, "__index__"):
        raise ValueError(f"seed_state must be int, not {seed_state!r}")
    if ctx != "all":
        Context(ctx)
    number = seed_state.__index__() % (1 << 32)
    RANDOM.seed(number, None if ctx == "all" else number)


if TYPE_CHECKING:
    from gluonic.ndarray.typed.random import *
else:

    def __getattr__(name: str) -> Any:
        return getattr(_random, name)
