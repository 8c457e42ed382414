"""Arrays from text files."""

from typing import Any

import numpy as np

from gluonic.ndarray.numpy.array import ndarray
from gluonic.ndarray.numpy.creation import array

__all__ = ["array", "genfromtxt"]


def genfromtxt(*args: Any, **kwargs: Any) -> ndarray:
    """Return what ``numpy.genfromtxt`` reads, as an array; ``ctx=`` says where it is made.

    Parameters
    ----------
    args, kwargs : those of ``numpy.genfromtxt``; `dtype` is float32 by default
    """
    context = kwargs.pop("ctx", None)
    if len(args) < 2:
        kwargs.setdefault("dtype", np.float32)
    found = np.genfromtxt(*args, **kwargs)
    return array(found, dtype=found.dtype, ctx=context)
