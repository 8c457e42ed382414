"""The classes of `mx.np`, for the rooms below the one that defines them."""

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar


class NumpyFace:
    """Where the classes are found.

    Attributes
    ----------
    load : imports and returns the class of arrays and that of symbols; the package sets it
    """

    load: ClassVar[Callable[[], tuple[type, type]]]


@cache
def numpy_array() -> Any:
    """The class of the arrays of `mx.np`, imported with the first of them."""
    return NumpyFace.load()[0]


@cache
def numpy_symbol() -> Any:
    """The class of the symbols of `mx.sym.np`, imported with the first of them."""
    return NumpyFace.load()[1]


def is_numpy_name(operator: str) -> bool:
    """Whether an operator of that name gives arrays of `mx.np`.

    >>> is_numpy_name("_npi_add"), is_numpy_name("_npx_relu"), is_numpy_name("relu")
    (True, True, False)
    """
    return operator.startswith(("_np_", "_npi_", "_npx_"))
