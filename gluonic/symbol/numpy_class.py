"""The class of the symbols of `mx.sym.np`, for modules that must not import it at the top."""

import threading
from functools import cache
from typing import Any


class _Chosen(threading.local):
    """The class that stands in for `mx.sym.np._Symbol` while a thread traces; None for that class itself."""

    kind: Any = None


CHOSEN = _Chosen()


def numpy_symbol() -> Any:
    """The class of new symbols of `mx.sym.np`."""
    return CHOSEN.kind or _class()


@cache
def _class() -> Any:
    """Import the class when its first symbol is created: that imports the functions of `mx.np`, too."""
    from gluonic.symbol.numpy.symbols import _Symbol

    return _Symbol
