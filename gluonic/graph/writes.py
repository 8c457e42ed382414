"""Whether memory may have changed: the compiler keeps what it made of parameters until then.

Whoever writes into an array that existed before calls `note_write` afterwards; whoever hands an array's memory
to code that can write without saying so calls `share`. Reading two numbers then tells that nothing has
changed, where comparing contents would read all parameters at every call.
"""

import itertools
from typing import Any
from weakref import ref

import numpy as np

from gluonic.graph.operator import Array

_numbers = itertools.count(1)


class _Writes:
    """What happened last.

    Attributes
    ----------
    latest : changes with every write
    shares : changes whenever memory is shared
    """

    __slots__ = ("latest", "shares")

    def __init__(self) -> None:
        self.latest = self.shares = 0


WRITES = _Writes()
_shared: dict[int, ref[Array]] = {}


def note_write() -> None:
    """Say that an array has been written into."""
    WRITES.latest = next(_numbers)  # two threads never leave a number that was there before


def share(array: Array) -> Array:
    """Say that others can now write into an array's memory; returns the array."""
    owner = _owner(array)
    if isinstance(owner, np.ndarray) and id(owner) not in _shared:
        key = id(owner)
        _shared[key] = ref(owner, lambda _: _shared.pop(key, None))
        WRITES.shares = next(_numbers)
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
