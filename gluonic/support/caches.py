"""Caches that ever new attributes, shapes and names would fill: all of them together are bounded.

A bound for each cache would be no bound: there are hundreds of operators, and an entry of one cache keeps
entries of others alive.
"""

import itertools
from collections.abc import Hashable
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from gluonic.support.references import keys_held_alone

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST_ENTRIES = 8192
"""The number of entries that are added to all caches before all forget. An entry takes 0.5 to 3 KB."""


class _Added:
    """The number of entries that have been added since all caches forgot, and how many may be."""

    count, most = 0, MOST_ENTRIES


_numbers = itertools.count()
_caches: "WeakValueDictionary[int, Cache[Any, Any]]" = WeakValueDictionary()


class Cache(dict[K, V]):
    """A dictionary of what can be made again; `remember` adds to it, and may empty all caches first.

    >>> squares: Cache[int, int] = Cache()
    >>> squares.remember(3, 9), squares.get(3)
    (9, 9)
    """

    __slots__ = ("__weakref__",)

    def __init__(self) -> None:
        _caches[next(_numbers)] = self

    def remember(self, key: K, value: V) -> V:
        """Add an entry; return the value."""
        if _Added.count >= _Added.most:
            forget_all()
        _Added.count += 1
        self[key] = value
        return value

    def forget(self) -> None:
        """Drop what the cache need not keep."""
        self.clear()


class Interned(Cache[K, V]):
    """A cache whose values must stay the only ones of their kind as long as they are used elsewhere."""

    __slots__ = ()

    def forget(self) -> None:
        """Drop the values that nothing else refers to."""
        for key in keys_held_alone(self):
            self.pop(key, None)


def forget_all() -> None:
    """Let all caches forget, those last whose values others refer to."""
    _Added.count = 0
    caches = [cache for ref in _caches.valuerefs() if (cache := ref()) is not None]
    for cache in sorted(caches, key=lambda cache: isinstance(cache, Interned)):
        cache.forget()


def keep_at_most(entries: int) -> int:
    """Set the number of entries after which all caches forget; return the one before."""
    before, _Added.most = _Added.most, entries
    return before
