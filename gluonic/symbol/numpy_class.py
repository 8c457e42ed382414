"""The class of the symbols of `mx.sym.np`, for modules that must not import it at the top."""

from functools import cache
from typing import Any


@cache
def numpy_symbol() -> Any:
    """Import the class when its first symbol is created: that imports the functions of `mx.np`, too."""
    from gluonic.symbol.numpy.symbols import _Symbol

    return _Symbol
