"""Arrays from text files."""

from typing import Any

import numpy as np

from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.numpy.creation import array

__all__ = ["array", "genfromtxt"]


def genfromtxt(*args: Any, **kwargs: Any) -> ndarray:
    """Return an array with the values that ``numpy.genfromtxt`` reads; ``ctx=`` is its context.

    Parameters
    ----------
    args, kwargs : those of ``numpy.genfromtxt``; `dtype` is float32 by default
    """
    context = kwargs.pop("ctx", None)
    if len(args) < 2:
        kwargs.setdefault("dtype", np.float32)
    found = np.genfromtxt(*args, **kwargs)
    return array(found, dtype=found.dtype, ctx=context)
