"""Deferred signals: LLVM's objects must not be left half created or half closed, nor its lock held.

A handler, such as Python's own for Ctrl-C, may raise between any two instructions of the main thread. Raised in
llvmlite's `__enter__` of its lock, the lock would never be released.
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
"""The signals whose handlers may raise; looking up the handlers of all signals is slow."""


@contextmanager
def deferred_signals() -> Iterator[None]:
    """Defer the handlers of signals until the end of the ``with`` block."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python runs handlers only in the main thread
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
            handlers[number](number, None)  # a frame would keep its LLVM objects alive


def _put_back(replaced: list[tuple[int, Any]]) -> None:
    """Restore all handlers, even if a restored one raises meanwhile."""
    done, raised = 0, None
    while done < len(replaced):
        try:
            signal.signal(*replaced[done])
            done += 1
        except BaseException as error:
            raised = error
    if raised is not None:
        raise raised
