"""Reading and writing parts of arrays: ``x[key]`` and ``x[key] = value``.

As in MXNet, a basic key (integers, slices, ``...``, None) whose elements are contiguous gives a view that
shares memory; any other key gives a copy. Reading is recorded.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph import REGISTRY, Array
from gluonic.graph.errors import MXNetError, OutOfRangeError, describe, warn
from gluonic.graph.memory import copied, too_large
from gluonic.graph.versions import mark_modified
from gluonic.ndarray.array import NDArray, method
from gluonic.ndarray.assigning import check_not_read_only, write, write_quickly
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.keys import (
    EVERYTHING,
    Key,
    check_bounds,
    is_integer,
    is_plain,
    positions_of,
    recorded_parts,
    slices_of,
)
from gluonic.ndarray.recording import put, wrap
from gluonic.ndarray.shaping import view, with_shape
from gluonic.ndarray.state import STATE
from gluonic.ndarray.tape import FunctionRecord, entry_of

_ARRAYS = (NDArray, np.ndarray, list, tuple, range)
_PART = "a part of an array"


class BooleanIndexError(MXNetError, ValueError, IndexError):
    """A boolean key, which MXNet 1.x does not support for `mx.nd` arrays."""


class KeyKindError(MXNetError, ValueError, TypeError):
    """A key is not an index, a slice or an array."""


# ------------------------------------------------------------------------------------ reading keys


def _read_key(self: NDArray, key: Any) -> tuple[Key, bool]:
    """The key as a tuple with NumPy's arrays as indices, and whether it is basic."""
    if type(key) is slice and key == EVERYTHING and not self.ndim:
        return (), True
    parts = key if isinstance(key, tuple) else (key,)
    basic = True
    read = []
    for part in parts:
        if isinstance(part, (slice, type(None), type(Ellipsis))) or is_integer(part):
            read.append(part)
        elif isinstance(part, _ARRAYS):
            _warn_of_mask(self, part)
            read.append(_indices(part))
            basic = False
        else:
            raise _refused(part)
    checked = tuple(read)
    check_bounds(self, checked)
    return checked, basic


def _warn_of_mask(self: NDArray, part: Any) -> None:
    """Warn of a comparison's result as a key: its zeros and ones are read as indices, as in MXNet."""
    if isinstance(part, NDArray) and part.size > 2 and part.shape == self.shape:
        values = part.host_elements()
        if values.dtype.kind == "f" and bool(((values == 0) | (values == 1)).all()):
            warn(
                "the key has the shape of the array and holds 0 and 1 only: mx.nd reads these as indices, "
                "not as a mask. Try: x[:] = nd.where(mask, nd.full(x.shape, value), x) to write, "
                "nd.contrib.boolean_mask(x, mask) to read; x[mask.astype('int32')] for indices"
            )


def _indices(part: Any) -> Array:
    """An array of indices, given as NDArray, NumPy array or sequence; fractions are truncated."""
    found = part.host_elements() if isinstance(part, NDArray) else np.asarray(part)
    if found.dtype.kind not in "iuf" and found.size:
        raise _refused(part)
    return found.astype(np.int64)


def _refused(part: Any) -> MXNetError:
    if isinstance(part, (bool, np.bool_)) or getattr(part, "dtype", None) in (bool, np.bool_):
        hint = "with an NDArray as mask, such as x < 0: nd.contrib.boolean_mask(x, mask) to read, "
        hint += "x[:] = nd.where(mask, nd.full(x.shape, value), x) to write"
        return BooleanIndexError(
            describe("Cannot perform boolean indexing on an mx.nd array", hint=hint)
        )
    return KeyKindError(
        describe(f"an NDArray cannot be indexed with {part!r} of type {type(part).__name__}")
    )


# ----------------------------------------------------------------------------------------- reading


@method("__getitem__")
def getitem(self: NDArray, key: Any) -> NDArray:
    """Return the part that a key selects."""
    if is_plain(key) and not (STATE.recording and self.tape_entry is not None):
        found = _quick(self.elements, key)
        if found is not None:
            return wrap(found, None, self.stated_context)
    index, basic = _read_key(self, key)
    if basic and (not index or (len(index) == 1 and index[0] == EVERYTHING)):
        return self
    return _basic(self, index) if basic else _advanced(self, index, recorded_parts(key))


def _quick(data: Array, key: Any) -> Array | None:
    """The part that a plain key selects, in simple cases: several elements, or one of a full index."""
    try:
        part = data[key]
        if isinstance(part, np.ndarray):
            if not part.ndim:
                return None
            return part if part.flags.c_contiguous else copied(part, _PART)
        index = key if isinstance(key, tuple) else (key,)
        row, last = data[index[:-1]], index[-1]
        return row[last : last + 1 or None] if row.ndim == 1 else None
    except (IndexError, ValueError, TypeError):
        return None  # the slow path raises the error


def _basic(self: NDArray, key: Key) -> NDArray:
    """The elements of a basic key: a view if they are contiguous, else a copy."""
    slices = slices_of(self, key)
    part = self.elements[key]
    shape = part.shape or (1,) * min(self.ndim, 1)
    if not part.ndim:  # NumPy would give a number, MXNet gives an array of one element
        part = self.elements[tuple(slices)]
    if not part.flags.c_contiguous:
        part = copied(part, _PART)
    if not STATE.recording or entry_of(self) is None:
        return wrap(part.reshape(shape), None, self.stated_context)
    return sliced(self, slices, part, shape)


def sliced(self: NDArray, slices: Sequence[slice], part: Array, shape: tuple[int, ...]) -> NDArray:
    """A recorded part of an array: slices of it, reshaped."""
    fields = [tuple(getattr(s, field) for s in slices) for field in ("start", "stop", "step")]
    lengths = [len(range(*s.indices(n))) for s, n in zip(slices, self.shape, strict=True)]
    attributes = dict(zip(("begin", "end", "step"), fields, strict=True))
    found = view(self, part.reshape(lengths), "slice", attributes)
    return found if shape == tuple(lengths) else with_shape(found, shape)


def _advanced(self: NDArray, key: Key, recorded: Sequence[NDArray]) -> NDArray:
    """A copy of the elements of a key with arrays, which include those in `recorded`."""
    if recorded or (STATE.recording and entry_of(self) is not None):
        return taken(self, positions_of(self, key), recorded)
    try:
        made = NDArray(self.elements[key], self.stated_context)
    except IndexError as error:
        raise OutOfRangeError(f"{error}; the array's shape is {self.shape}") from None
    except MemoryError as error:
        raise too_large(_PART, error) from None
    return made


def taken(self: NDArray, positions: Array, recorded: Sequence[NDArray]) -> NDArray:
    """The elements at flat indices, recorded, together with the arrays that the indices come from."""
    indices = NDArray(positions)
    if recorded:  # indices have no gradient, but a loss may be upstream of them
        entries = [entry_of(part) for part in recorded]
        put(FunctionRecord(entries, 1, lambda heads: [None] * len(entries)), (), (indices,))
    return invoke(REGISTRY["take"].apply({}), (with_shape(self, (self.size,)), indices))[0]


# ----------------------------------------------------------------------------------------- writing


@method("__setitem__")
def setitem(self: NDArray, key: Any, value: Any) -> None:
    """Write to the part that a key selects."""
    if not STATE.recording and write_quickly(self.elements, key, value):
        mark_modified(self.elements)
        return
    check_not_read_only(self)
    index, basic = _read_key(self, key)
    write(self, index, value, basic=basic)


def _lies_side_by_side(slc_key: tuple[slice, ...], shape: tuple[int, ...]) -> bool:
    """Whether the elements that slices name are contiguous."""
    return np.empty(shape, np.bool_)[slc_key].flags.c_contiguous


NDArray._basic_indexing_slice_is_contiguous = staticmethod(_lies_side_by_side)  # type: ignore[attr-defined]
