"""The class of the arrays of `mx.np`, for modules that must not import it at the top."""

from functools import cache
from typing import Any

from gluonic.graph.array_semantics import is_np_array


@cache
def numpy_array() -> Any:
    """Import the class when its first array is made: with it come the functions of `mx.np`, as its methods."""
    from gluonic.ndarray.numpy.array import ndarray

    return ndarray


def as_switched(array: Any) -> Any:
    """A new array, or symbol, in the class that `npx.set_np` selects for Gluon."""
    return array.as_np_ndarray() if is_np_array() else array
