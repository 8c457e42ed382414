"""Calling functions with NumPy's floating point warnings off."""

import contextvars
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

_BUFFER = 1024
"""The size of ufuncs' buffers. NumPy copies a number that is broadcast along rows if several rows fit into one,
which takes longer than the arithmetic. By default they hold 8192."""


class _Quiet(threading.local):
    """A context of each thread in which warnings are off and buffers are small.

    To enter it costs a thirtieth of `numpy.errstate`, but that cannot be nested.

    Attributes
    ----------
    run : calls a function there
    """

    def __init__(self) -> None:
        context = contextvars.Context()
        context.run(np.seterr, all="ignore")
        context.run(np.setbufsize, _BUFFER)
        self.run = context.run


class _QuietThread:
    """The same for NumPy 1, which knows one state for each thread and none for a context."""

    _QUIETLY = [_BUFFER, 0, None]
    """The size of ufuncs' buffers, what to do about errors (nothing), whom to call."""

    @classmethod
    def run(cls, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function with warnings off."""
        before: Any = np.geterrobj()  # type: ignore[attr-defined]  # noqa: NPY201
        np.seterrobj(cls._QUIETLY)  # type: ignore[attr-defined]  # noqa: NPY201
        try:
            return function(*arguments)
        finally:
            np.seterrobj(before)  # type: ignore[attr-defined]  # noqa: NPY201


QUIET: _QuietThread | _Quiet = _QuietThread() if hasattr(np, "geterrobj") else _Quiet()


def quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function without floating point warnings."""
    try:
        return QUIET.run(function, *arguments)
    except RuntimeError as error:
        if "cannot enter context" not in str(error):
            raise
    with np.errstate(all="ignore"):  # inside another operator, say a signal handler's
        return function(*arguments)
