"""Versions of memory: the compiler caches results computed from parameters until one of these is written to.

Code that writes to an existing array must use `write` or `add`, or call `mark_modified` right afterwards. Code
that passes an array's memory to writers that do not report it must call `mark_escaped`. Cached results have a
`Watch` on their arrays: an unchanged version means unchanged contents, without reading all parameters at every
call.
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
    version : changes with each write, and when the memory escapes; values are never reused
    """

    __slots__ = ("__weakref__", "version")

    def __init__(self, arrays: Iterable[Array] = ()) -> None:
        self.version = next(_numbers)
        for array in arrays:
            owner = _owner(array)
            if isinstance(owner, np.ndarray):
                _enter(owner, self)


class _Watched(NamedTuple):
    """An array that owns memory, and its watches."""

    owner: "ref[Array]"
    watches: "tuple[ref[Watch], ...]"

    def changed(self) -> None:
        """Change the versions of all watches."""
        for each in self.watches:
            watch = each()
            if watch is not None:
                watch.version = next(_numbers)


class _Replacements:
    """The last replacement of a parameter's array.

    Attributes
    ----------
    latest : changes with each replacement
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
    with _lock:  # so that no concurrent registration is lost
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
    """Report a write to an array; None if it is not known which."""
    if not _watched:
        return
    if array is None:
        _mark_everything()
        return
    if array.base is not None:
        array = _owner(array)
        if not isinstance(array, np.ndarray):
            _mark_everything()  # the memory may belong to any array
            return
    found = _watched.get(id(array))
    if found is not None:
        found.changed()


def mark_all_modified(arrays: Iterable[Array | None]) -> None:
    """Report writes to several arrays; None among them is ignored."""
    if _watched:
        for array in arrays:
            if array is not None:
                mark_modified(array)


def _mark_everything() -> None:
    for found in tuple(_watched.values()):
        found.changed()


def mark_replaced() -> None:
    """Report that a parameter has taken another array, even without any write."""
    REPLACEMENTS.latest = next(_numbers)  # unique, also with several threads


# -- memory that others can write into --------------------------------------------------------------


def mark_escaped(array: Array) -> Array:
    """Report that others can now write to an array's memory; return the array."""
    owner = _owner(array)
    key = id(owner)
    if isinstance(owner, np.ndarray) and key not in _escaped:
        _escaped[key] = ref(owner, lambda _: _escaped.pop(key, None))
        found = _watched.get(key)
        if found is not None:
            found.changed()
    return array


def has_escaped(array: Array) -> bool:
    """Whether others can write to an array's memory without reporting it."""
    owner = _owner(array)
    return not isinstance(owner, np.ndarray) or id(owner) in _escaped


def register_owner(array: Array) -> Array:
    """Register an array as the owner of memory that is not NumPy's, such as a mapped file's; return the array.

    Writes to it are reported as for NumPy's memory; unregistered memory counts as escaped.
    """
    key = id(array)
    _owners[key] = ref(array, lambda _: _owners.pop(key, None))
    return array


def is_owner(array: Array) -> bool:
    """Whether an array owns its memory, or counts as its owner."""
    return array.base is None or id(array) in _owners


def _owner(array: Array) -> Any:
    """The array, or other object, that owns the memory."""
    owner: Any = array
    while isinstance(owner, np.ndarray) and owner.base is not None and id(owner) not in _owners:
        owner = owner.base
    return owner
