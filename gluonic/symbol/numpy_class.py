"""The class of the symbols of `mx.sym.np`, for modules that are imported without them."""

from functools import cache
from typing import Any


@cache
def numpy_symbol() -> Any:
    """Import the class with the first of its symbols: it brings the functions of `mx.np` along as methods."""
    from gluonic.symbol.numpy.symbols import _Symbol

    return _Symbol
