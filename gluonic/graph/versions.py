"""Versions of memory: the compiler keeps what it made of parameters until one of them is written into.

Whoever writes into an array that existed before does it with `write` or `add`, or calls `mark_modified` right
afterwards; whoever hands an array's memory to code that can write without saying so calls `mark_escaped`.
What was made of arrays is kept with a `Watch` over them: that its version is the same tells that nothing has
changed, where comparing contents would read all parameters at every call.
"""

import itertools
from collections.abc import Iterable
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from gluonic.graph.operator import Array
from gluonic.support.locks import lock

_numbers = itertools.count(1)


class Watch:
    """The version of the memory of some arrays.

    Parameters
    ----------
    arrays : the arrays; they are not kept alive

    Attributes
    ----------
    version : another number after each write, and when the memory escapes; numbers never return
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
_escaped: dict[int, "ref[Array]"] = {}
_owners: dict[int, "ref[Array]"] = {}
_lock = lock()


def _enter(owner: Array, watch: Watch) -> None:
    key = id(owner)
    with _lock:  # of two that are entered at once none is lost
        known = _watched.get(key)
        if known is None:
            known = _Watched(ref(owner, lambda _: _watched.pop(key, None)), ())
        alive = [each for each in known.watches if each() is not None]
        _watched[key] = known._replace(watches=(*alive, ref(watch)))


# -- writing ------------------------------------------------------------------------------------


def write(array: Array, values: Any) -> None:
    """Write values, broadcast and converted to the dtype of the array."""
    np.copyto(array, values, casting="unsafe")
    mark_modified(array)


def add(array: Array, values: Any) -> None:
    """Add values, converted to the dtype of the array."""
    np.add(array, values, out=array, casting="unsafe")
    mark_modified(array)


def mark_modified(array: Array | None = None) -> None:
    """Say that an array has been written into; None if it is not known which."""
    if not _watched:
        return
    if array is None:
        _mark_everything()
        return
    if array.base is not None:
        array = _owner(array)
        if not isinstance(array, np.ndarray):
            _mark_everything()  # it may be anybody's memory
            return
    found = _watched.get(id(array))
    if found is not None:
        found.changed()


def mark_all_modified(arrays: Iterable[Array | None]) -> None:
    """Say that some arrays have been written into; None among them stands for no array."""
    if _watched:
        for array in arrays:
            if array is not None:
                mark_modified(array)


def _mark_everything() -> None:
    for found in tuple(_watched.values()):
        found.changed()


def mark_replaced() -> None:
    """Say that a parameter has taken another array, in whose memory nothing needs to have changed."""
    REPLACEMENTS.latest = next(_numbers)  # two threads never leave a number that was there before


# -- memory that others can write into --------------------------------------------------------------


def mark_escaped(array: Array) -> Array:
    """Say that others can now write into an array's memory; returns the array."""
    owner = _owner(array)
    key = id(owner)
    if isinstance(owner, np.ndarray) and key not in _escaped:
        _escaped[key] = ref(owner, lambda _: _escaped.pop(key, None))
        found = _watched.get(key)
        if found is not None:
            found.changed()
    return array


def has_escaped(array: Array) -> bool:
    """Whether others, who say nothing, can write into an array's memory."""
    owner = _owner(array)
    return not isinstance(owner, np.ndarray) or id(owner) in _escaped


def register_owner(array: Array) -> Array:
    """Count an array as the owner of memory that is not NumPy's, such as a mapped file's; returns the array.

    Whoever writes there says so, as for memory of NumPy's, or else it would be anybody's.
    """
    key = id(array)
    _owners[key] = ref(array, lambda _: _owners.pop(key, None))
    return array


def is_owner(array: Array) -> bool:
    """Whether an array owns its memory, or counts as its owner."""
    return array.base is None or id(array) in _owners


def _owner(array: Array) -> Any:
    """The array that owns the memory, or what is no array and does."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None and id(owner) not in _owners:
        owner = owner.base
    return owner
