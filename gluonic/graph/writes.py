"""Whether memory was written to: the compiler keeps what it made of parameters until then.

Whoever writes into an array that existed before calls `note_write` afterwards; whoever hands an array's memory
to code that can write without saying so calls `share`. What was made of arrays is kept with a `Watch` over
them: that its version is the same tells that nothing has changed, where comparing contents would read all
parameters at every call.
"""

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from gluonic.graph.locks import lock
from gluonic.graph.operator import Array

_numbers = itertools.count(1)


class Watch:
    """Tells whether the memory of some arrays may have changed.

    Parameters
    ----------
    arrays : the arrays; they are not kept alive

    Attributes
    ----------
    version : another number after each write, and when the memory is shared; numbers never return
    """

    __slots__ = ("__weakref__", "version")

    def __init__(self, arrays: Iterable[Array] = ()) -> None:
        self.version = next(_numbers)
        for array in arrays:
            owner = _owner(array)
            if isinstance(owner, np.ndarray):
                _enter(owner, self)


class _Watched(NamedTuple):
    """An array that owns memory, and who watches that."""

    owner: "ref[Array]"
    watches: "tuple[ref[Watch], ...]"

    def changed(self) -> None:
        """Tell those who watch."""
        for each in self.watches:
            watch = each()
            if watch is not None:
                watch.version = next(_numbers)


class _Replacements:
    """When a parameter took another array last.

    Attributes
    ----------
    latest : changes whenever one does
    """

    __slots__ = ("latest",)

    def __init__(self) -> None:
        self.latest = 0


REPLACEMENTS = _Replacements()
_watched: dict[int, _Watched] = {}
_shared: dict[int, "ref[Array]"] = {}
_lock = lock()


def _enter(owner: Array, watch: Watch) -> None:
    key = id(owner)
    with _lock:  # of two that are entered at once none is lost
        known = _watched.get(key)
        if known is None:
            known = _Watched(ref(owner, lambda _: _watched.pop(key, None)), ())
        alive = [each for each in known.watches if each() is not None]
        _watched[key] = known._replace(watches=(*alive, ref(watch)))


def note_write(array: Array | None = None) -> None:
    """Say that an array has been written into; None if it is not known which."""
    if not _watched:
        return
    if array is None:
        _note_all()
        return
    if array.base is not None:
        array = _owner(array)
        if not isinstance(array, np.ndarray):
            _note_all()  # it may be anybody's memory
            return
    found = _watched.get(id(array))
    if found is not None:
        found.changed()


def note_writes(arrays: Iterable[Array | None]) -> None:
    """Say that some arrays have been written into; None among them stands for no array."""
    if _watched:
        for array in arrays:
            if array is not None:
                note_write(array)


def _note_all() -> None:
    for found in tuple(_watched.values()):
        found.changed()


def note_replacement() -> None:
    """Say that a parameter has taken another array, in whose memory nothing needs to have changed."""
    REPLACEMENTS.latest = next(_numbers)  # two threads never leave a number that was there before


def share(array: Array) -> Array:
    """Say that others can now write into an array's memory; returns the array."""
    owner = _owner(array)
    key = id(owner)
    if isinstance(owner, np.ndarray) and key not in _shared:
        _shared[key] = ref(owner, lambda _: _shared.pop(key, None))
        found = _watched.get(key)
        if found is not None:
            found.changed()
    return array


def is_shared(array: Array) -> bool:
    """Whether others, who say nothing, can write into an array's memory."""
    owner = _owner(array)
    return not isinstance(owner, np.ndarray) or id(owner) in _shared


def _owner(array: Array) -> Any:
    """The array that owns the memory, or what is no array and does."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None:
        owner = owner.base
    return owner
