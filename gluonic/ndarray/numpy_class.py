"""The class of the arrays of `mx.np`, for modules that must not import it at the top."""

from functools import cache
from typing import Any

from gluonic.graph.array_semantics import is_np_array


@cache
def numpy_array() -> Any:
    """Import the class when its first array is created: that imports the functions of `mx.np`, too."""
    from gluonic.ndarray.numpy.array import ndarray

    return ndarray


def as_switched(array: Any) -> Any:
    """Convert a new array, or symbol, to the class that `npx.set_np` selects for Gluon."""
    return array.as_np_ndarray() if is_np_array() else array
