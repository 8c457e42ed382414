"""The class of the arrays of `mx.np`, for modules that are imported without them."""

from functools import cache
from typing import Any


@cache
def numpy_array() -> Any:
    """Import the class with the first of its arrays: it brings the functions of `mx.np` along as methods."""
    from gluonic.ndarray.numpy.array import ndarray

    return ndarray
