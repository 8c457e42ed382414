"""Locks that the child of a fork can use."""

import threading
from typing import Any
from weakref import WeakSet

from gluonic.support.forks import in_forked_children

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


in_forked_children(_open_locks)
