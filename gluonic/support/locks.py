"""Locks that the child of a fork can use."""

import os
import threading
from typing import Any
from weakref import WeakSet

_locks: WeakSet[Any] = WeakSet()


def lock() -> Any:
    """A re-entrant lock, open in the child of a fork if another thread held it: that thread is not there."""
    made = threading.RLock()
    _locks.add(made)
    return made


def _open_locks() -> None:
    for each in list(_locks):
        if not each._is_owned():
            each._at_fork_reinit()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_locks)
