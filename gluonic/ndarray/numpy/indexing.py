"""Reading and writing parts of arrays of `mx.np`: ``x[key]`` and ``x[key] = value``, for NumPy's keys.

As in MXNet, a basic key (integers, slices, ``...``, None) whose elements are contiguous gives a view that
shares memory; any other key gives a copy. Reading is recorded.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph import REGISTRY, Array
from gluonic.graph.errors import OutOfRangeError, describe
from gluonic.graph.memory import copied, too_large
from gluonic.graph.versions import mark_modified
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.assigning import check_not_read_only, write, write_quickly
from gluonic.ndarray.indexing import KeyKindError, sliced, taken
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.keys import Key, is_integer, is_plain, positions_of, recorded_parts, slices_of
from gluonic.ndarray.nested_lists import shared_array_of
from gluonic.ndarray.numpy.array import method, ndarray
from gluonic.ndarray.recording import wrap
from gluonic.ndarray.state import STATE
from gluonic.ndarray.tape import entry_of

_PART = "a part of an array"
_BASIC = (slice, type(None), type(Ellipsis))


def _read_key(self: ndarray, key: Any) -> tuple[Key, bool]:
    """The key as a tuple with NumPy's arrays of integers or booleans, and whether it is basic."""
    basic = True
    read: list[Any] = []
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, _BASIC) or is_integer(part):
            read.append(part)
        else:
            read.append(_index(part))
            basic = False
    if self.ndim == 0 and read == [slice(None)]:
        raise _out_of_range(self, "an array without axes takes the key () or ..., or a boolean")
    if Ellipsis not in [part for part in read if not isinstance(part, np.ndarray)]:
        read.append(Ellipsis)  # NumPy gives an array then, where it would give a number
    return tuple(read), basic


def _index(part: Any) -> Array:
    """An array of indices or a mask, as a NumPy array; fractions are truncated."""
    try:
        found = part.host_elements() if isinstance(part, NDArray) else shared_array_of(part)
    except ValueError:
        found = np.empty(1, object)
    if found.dtype.kind == "b":
        return found
    if found.dtype.kind in "iuf" or not found.size:
        return found.astype(np.int64)
    raise KeyKindError(
        describe(f"an array cannot be indexed with {part!r} of type {type(part).__name__}")
    )


def _out_of_range(self: NDArray, what: object) -> OutOfRangeError:
    return OutOfRangeError(describe(str(what), facts=[f"the array: shape {self.shape}"]))


@method("__getitem__")
def getitem(self: ndarray, key: Any) -> NDArray:
    """Return the part that a key selects."""
    if not STATE.recording and is_plain(key):
        part = _quick(self.elements, key)
        if part is not None:
            return wrap(part, None, self.stated_context, ndarray)
    index, basic = _read_key(self, key)
    recorded = recorded_parts(key)
    if recorded or (STATE.recording and entry_of(self) is not None):
        return _recorded(self, index, recorded, basic=basic).as_np_ndarray()  # type: ignore[no-any-return]
    try:
        part = self.elements[index]
    except IndexError as error:
        raise _out_of_range(self, error) from None
    except MemoryError as error:
        raise too_large(_PART, error) from None
    if not part.flags.c_contiguous:
        part = copied(part, _PART)
    return wrap(part, None, self.stated_context, ndarray)


def _quick(data: Array, key: Any) -> Array | None:
    """The part that a valid plain key selects, if it has several elements."""
    try:
        part = data[key]
    except (IndexError, ValueError):
        return None  # the slow path raises the error
    if not isinstance(part, np.ndarray):
        return None
    return part if part.flags.c_contiguous else copied(part, _PART)


def _recorded(self: ndarray, index: Key, recorded: Sequence[NDArray], *, basic: bool) -> NDArray:
    """The part that a key selects, recorded on the tape."""
    try:
        if basic:
            part = self.elements[index]
            if not part.flags.c_contiguous:
                part = copied(part, _PART)
            return sliced(self, slices_of(self, index), part, part.shape)
        rows = index[0] if len(index) == 2 and not recorded else None
        if isinstance(rows, np.ndarray) and rows.dtype.kind == "i" and self.ndim:
            return _rows(self, rows)
        return taken(self, positions_of(self, index), recorded)
    except IndexError as error:
        raise _out_of_range(self, error) from None


def _rows(self: ndarray, rows: Array) -> NDArray:
    """The rows at the given indices, recorded."""
    count = len(self)
    if rows.size and not -count <= rows.min() <= rows.max() < count:
        raise _out_of_range(self, f"an index is out of bounds for axis 0 with size {count}")
    take = REGISTRY["take"].apply({"axis": 0, "mode": "wrap"})
    return invoke(take, (self, NDArray(rows)))[0]


@method("__setitem__")
def setitem(self: ndarray, key: Any, value: Any) -> None:
    """Write to the part that a key selects."""
    if not STATE.recording and write_quickly(self.elements, key, value):
        mark_modified(self.elements)
        return
    check_not_read_only(self)
    index, basic = _read_key(self, key)
    try:
        write(self, index, value, basic=basic)
    except IndexError as error:
        raise _out_of_range(self, error) from None
