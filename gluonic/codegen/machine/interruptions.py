"""Signals that wait: LLVM's objects must not be left half made or half closed, nor its lock closed.

A handler such as Python's own for Ctrl-C may raise between any two instructions of the main thread, in
llvmlite's `__enter__` of a lock too, which nobody would open again.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_NAMES = "INT TERM HUP QUIT ALRM VTALRM PROF USR1 USR2 BREAK"
_HANDLED = [
    getattr(signal, f"SIG{name}") for name in _NAMES.split() if hasattr(signal, f"SIG{name}")
]
"""The signals whose handlers may raise; to ask for the handlers of all that there are takes long."""


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let the handlers of signals that arrive meanwhile run afterwards."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python runs handlers in the main thread alone
        return
    arrived: list[int] = []
    replaced: list[tuple[int, Any]] = []
    try:
        for number in _HANDLED:
            handler = signal.getsignal(number)
            if callable(handler):
                replaced.append((number, handler))
                signal.signal(number, lambda number, _: arrived.append(number))
        yield
    finally:
        _put_back(replaced)
        handlers = dict(replaced)
        for number in arrived:
            handlers[number](number, None)  # the frame would keep what LLVM made in it


def _put_back(replaced: list[tuple[int, Any]]) -> None:
    """Set handlers again, all of them, even if one that is back raises meanwhile."""
    done, raised = 0, None
    while done < len(replaced):
        try:
            signal.signal(*replaced[done])
            done += 1
        except BaseException as error:
            raised = error
    if raised is not None:
        raise raised
