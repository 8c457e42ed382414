"""Keys of arrays, ``x[key]``, and the elements that they select."""

from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.errors import OutOfRangeError, describe
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.state import STATE
from gluonic.ndarray.tape import entry_of

Key = tuple[Any, ...]

EVERYTHING = slice(None)
_INTEGERS = (int, np.integer)
_PLAIN = frozenset({int, slice, type(None), type(Ellipsis)})


def is_plain(key: Any) -> bool:
    """Whether a key is basic, by a quick check with false negatives."""
    kind = type(key)
    if kind is tuple:
        return bool(key) and _PLAIN.issuperset(map(type, key))
    return kind is int or (kind is slice and key != EVERYTHING)


def is_integer(part: Any) -> bool:
    """Whether a part of a key is an integer."""
    return isinstance(part, _INTEGERS) and not isinstance(part, bool)


def check_bounds(self: NDArray, key: Key) -> None:
    """Raise an error that names the axis of an index that is out of bounds."""
    used = [part for part in key if part is not None]
    explicit = [part for part in used if part is not Ellipsis]
    if len(used) - len(explicit) > 1:
        raise IndexError("Cannot use more than one ellipsis (`...`) for indexing")
    if len(explicit) > self.ndim:
        raise OutOfRangeError(
            f"too many indices ({len(explicit)}) for array with {self.ndim} dimensions"
        )
    axis = 0
    for part in used:
        if part is Ellipsis:
            axis += self.ndim - len(explicit)
            continue
        if isinstance(part, slice):
            if part.step == 0:
                raise ValueError("slice step cannot be zero")
        elif is_integer(part) and not -self.shape[axis] <= part < self.shape[axis]:
            raise OutOfRangeError(
                describe(
                    f"index {part} is out of bounds for axis {axis} with size {self.shape[axis]}",
                    facts=[f"the array: shape {self.shape}"],
                    hint=f"an index from {-self.shape[axis]} to {self.shape[axis] - 1}",
                )
            )
        axis += 1


def slices_of(self: NDArray, key: Key) -> list[slice]:
    """A basic key as a slice for every axis; integers are slices of length one."""
    explicit = [part for part in key if part is not None and part is not Ellipsis]
    rest = [EVERYTHING] * (self.ndim - len(explicit))
    parts = [part for part in key if part is not None]
    position = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    full = [*parts[:position], *rest, *parts[position + 1 :]]
    return [p if isinstance(p, slice) else slice(int(p), int(p) + 1 or None) for p in full]


def positions_of(self: NDArray, key: Key) -> Array:
    """The flat indices of the elements that a key selects."""
    try:
        return np.asarray(np.arange(self.elements.size).reshape(self.shape)[key])
    except IndexError as error:
        raise OutOfRangeError(f"{error}; the array's shape is {self.shape}") from None


def recorded_parts(key: Any) -> list[NDArray]:
    """The arrays of a key that have been recorded, while recording."""
    if not STATE.recording:
        return []
    parts = key if isinstance(key, tuple) else (key,)
    return [p for p in parts if isinstance(p, NDArray) and entry_of(p) is not None]
