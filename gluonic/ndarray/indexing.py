"""Reading and writing parts of arrays: ``x[key]`` and ``x[key] = value``.

As in MXNet, a basic key (integers, slices, ``...``, None) whose elements lie side by side gives a view that
shares memory; any other key gives a copy. Reading is recorded.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph import REGISTRY, Array
from gluonic.graph.dtypes import is_bfloat16
from gluonic.graph.errors import MXNetError, OutOfRangeError, describe
from gluonic.graph.memory import allocating, copied, too_large
from gluonic.graph.versions import mark_modified
from gluonic.ndarray.array import NDArray, method
from gluonic.ndarray.copying import copyto
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.nested_lists import shared_array_of
from gluonic.ndarray.recording import check_writable, put, wrap
from gluonic.ndarray.shaping import broadcast_to, view, with_shape
from gluonic.ndarray.state import STATE
from gluonic.ndarray.storage.arrays import dense_of
from gluonic.ndarray.tape import FunctionRecord, entry_of
from gluonic.support.suppress_fp_warnings import QUIET, quietly

Key = tuple[Any, ...]

_INTEGERS = (int, np.integer)
_ARRAYS = (NDArray, np.ndarray, list, tuple, range)
_EVERYTHING = slice(None)
_PART = "a part of an array"


class BooleanIndexError(MXNetError, ValueError, IndexError):
    """A boolean key, which MXNet 1.x does not have for `mx.nd` arrays."""


class KeyKindError(MXNetError, ValueError, TypeError):
    """Something that is no index, slice or array."""


class AssignmentError(MXNetError, ValueError):
    """The shape of what is assigned does not fit the part assigned to."""


# ------------------------------------------------------------------------------------ reading keys


def _read_key(self: NDArray, key: Any) -> tuple[Key, bool]:
    """The key as a tuple in which arrays of indices are NumPy's, and whether it is basic."""
    if type(key) is slice and key == _EVERYTHING and not self.ndim:
        return (), True
    parts = key if isinstance(key, tuple) else (key,)
    basic = True
    read = []
    for part in parts:
        if isinstance(part, (slice, type(None), type(Ellipsis))) or _is_integer(part):
            read.append(part)
        elif isinstance(part, _ARRAYS):
            read.append(_indices(part))
            basic = False
        else:
            raise _refused(part)
    checked = tuple(read)
    _check_bounds(self, checked)
    return checked, basic


def _is_integer(part: Any) -> bool:
    return isinstance(part, _INTEGERS) and not isinstance(part, bool)


def _indices(part: Any) -> Array:
    """An array of indices, given as NDArray, NumPy array or sequence; numbers lose their fraction."""
    found = part._data if isinstance(part, NDArray) else np.asarray(part)
    if found.dtype.kind not in "iuf" and found.size:
        raise _refused(part)
    return found.astype(np.int64)


def _refused(part: Any) -> MXNetError:
    if isinstance(part, (bool, np.bool_)) or getattr(part, "dtype", None) in (bool, np.bool_):
        hint = "nd.contrib.boolean_mask(x, mask), or nd.where(mask, x, y)"
        return BooleanIndexError(
            describe("Cannot perform boolean indexing on an mx.nd array", hint=hint)
        )
    return KeyKindError(
        describe(f"an NDArray cannot be indexed with {part!r} of type {type(part).__name__}")
    )


def _check_bounds(self: NDArray, key: Key) -> None:
    """Name the axis that an index misses."""
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
        elif _is_integer(part) and not -self.shape[axis] <= part < self.shape[axis]:
            raise OutOfRangeError(
                describe(
                    f"index {part} is out of bounds for axis {axis} with size {self.shape[axis]}",
                    facts=[f"the array: shape {self.shape}"],
                    hint=f"an index from {-self.shape[axis]} to {self.shape[axis] - 1}",
                )
            )
        axis += 1


def _slices(self: NDArray, key: Key) -> list[slice]:
    """A basic key as a slice for every axis; integers are slices of length one."""
    explicit = [part for part in key if part is not None and part is not Ellipsis]
    rest = [_EVERYTHING] * (self.ndim - len(explicit))
    parts = [part for part in key if part is not None]
    place = next((i for i, part in enumerate(parts) if part is Ellipsis), len(parts))
    full = [*parts[:place], *rest, *parts[place + 1 :]]
    return [p if isinstance(p, slice) else slice(int(p), int(p) + 1 or None) for p in full]


def _positions(self: NDArray, key: Key) -> Array:
    """The numbers, in the flat array, of the elements that a key names."""
    try:
        return np.asarray(np.arange(self._data.size).reshape(self.shape)[key])
    except IndexError as error:
        raise OutOfRangeError(f"{error}; the array's shape is {self.shape}") from None


# ----------------------------------------------------------------------------------------- reading


@method("__getitem__")
def getitem(self: NDArray, key: Any) -> NDArray:
    """Return the part that a key names."""
    if _is_plain(key) and not (STATE.recording and self._entry is not None):
        found = _quick(self._data, key)
        if found is not None:
            made = wrap(found)
            made._context = self._context
            return made
    index, basic = _read_key(self, key)
    if basic and (not index or (len(index) == 1 and index[0] == _EVERYTHING)):
        return self
    return _basic(self, index) if basic else _advanced(self, index, _recorded_parts(key))


_PLAIN = frozenset({int, slice, type(None), type(Ellipsis)})


def _is_plain(key: Any) -> bool:
    """Whether a key is basic, at a glance."""
    kind = type(key)
    if kind is tuple:
        return bool(key) and _PLAIN.issuperset(map(type, key))
    return kind is int or (kind is slice and key != _EVERYTHING)


def _quick(data: Array, key: Any) -> Array | None:
    """What a plain key names, where that is simple: several elements, or one of a full index."""
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
        return None  # the slow way says what is wrong


def _basic(self: NDArray, key: Key) -> NDArray:
    """The elements of a basic key: a view if they lie side by side, else a copy."""
    slices = _slices(self, key)
    part = self._data[key]
    shape = part.shape or (1,) * min(self.ndim, 1)
    if not part.ndim:  # NumPy would give a number, MXNet gives an array of one element
        part = self._data[tuple(slices)]
    if not part.flags.c_contiguous:
        part = copied(part, _PART)
    if not STATE.recording or entry_of(self) is None:
        made = wrap(part.reshape(shape))
        made._context = self._context
        return made
    fields = [tuple(getattr(s, field) for s in slices) for field in ("start", "stop", "step")]
    lengths = [len(range(*s.indices(n))) for s, n in zip(slices, self.shape, strict=True)]
    attributes = dict(zip(("begin", "end", "step"), fields, strict=True))
    return with_shape(view(self, part.reshape(lengths), "slice", attributes), shape)


def _recorded_parts(key: Any) -> list[NDArray]:
    """The arrays of a key that have been recorded, while recording."""
    if not STATE.recording:
        return []
    parts = key if isinstance(key, tuple) else (key,)
    return [p for p in parts if isinstance(p, NDArray) and entry_of(p) is not None]


def _advanced(self: NDArray, key: Key, recorded: Sequence[NDArray]) -> NDArray:
    """A copy of the elements of a key with arrays in it, `recorded` among them."""
    if recorded or (STATE.recording and entry_of(self) is not None):
        indices = NDArray(_positions(self, key))
        if recorded:  # indices have no gradient, but an output head may lie behind them
            entries = [entry_of(part) for part in recorded]
            put(FunctionRecord(entries, 1, lambda heads: [None] * len(entries)), (), (indices,))
        return invoke(REGISTRY["take"].apply({}), (with_shape(self, (self.size,)), indices))[0]
    try:
        made = NDArray(self._data[key], self._context)
    except IndexError as error:
        raise OutOfRangeError(f"{error}; the array's shape is {self.shape}") from None
    except MemoryError as error:
        raise too_large(_PART, error) from None
    return made


# ----------------------------------------------------------------------------------------- writing


@method("__setitem__")
def setitem(self: NDArray, key: Any, value: Any) -> None:
    """Write into the part that a key names."""
    if not STATE.recording and _write_quickly(self._data, key, value):
        mark_modified(self._data)
        return
    if not self.writable:
        raise ValueError("the NDArray is read-only: its elements cannot be assigned")
    index, basic = _read_key(self, key)
    if STATE.recording:
        if isinstance(value, NDArray) and basic and _is_everything(self, index):
            _overwrite_recorded(self, value)
            return
        check_writable(self, (self, value) if isinstance(value, NDArray) else (self,))
    with allocating("the values that are to be written"):
        shape = self._data[index].shape if basic else _positions(self, index).shape
        quietly(self._data.__setitem__, index, _fitted(_values(self, value), shape))
    mark_modified(self._data)


def _write_quickly(data: Array, key: Any, value: Any) -> bool:
    """Write a number or an NDArray where a plain key says; False if that is not so simple."""
    if type(value) is NDArray:
        value = value._data
    elif type(value) not in (int, float) or data.dtype.kind != "f":
        return False
    if not (_is_plain(key) or (type(key) is slice and data.ndim)):
        return False  # `x[:] = value` of an array without axes is for the slow way
    try:
        QUIET.run(data.__setitem__, key, value)
    except (IndexError, ValueError, TypeError, OverflowError, RuntimeError):
        return False  # the slow way says what is wrong
    return True


def _is_everything(self: NDArray, key: Key) -> bool:
    """Whether a basic key names all elements in their order."""
    spans = zip(_slices(self, key), self.shape, strict=True)
    return all(range(*s.indices(n)) == range(n) for s, n in spans)


def _overwrite_recorded(self: NDArray, value: NDArray) -> None:
    """Let all of an array become another, which it then was computed from."""
    if value is self:
        return
    if value.shape != self.shape:
        lacking = max(value.ndim - self.ndim, 0)
        if value.shape[:lacking] == (1,) * lacking:
            value = with_shape(value, value.shape[lacking:])
        value = broadcast_to(value, self.shape)
    copyto(value, self)


def _values(self: NDArray, value: Any) -> Array:
    """What is assigned, as an array of the right dtype; out of range, integers wrap around."""
    if isinstance(value, NDArray):
        return dense_of(value)
    try:
        found = shared_array_of(value)
        is_number = found.dtype.kind in "biufOU" or is_bfloat16(found.dtype)
        if is_number or found.size == 0:  # None is NaN, and text is read
            return quietly(found.astype, self._data.dtype)  # type: ignore[no-any-return]
    except (ValueError, TypeError):
        pass
    raise TypeError(
        describe(
            f"elements of an NDArray cannot be assigned {value!r} of type {type(value).__name__}",
            hint="a number, an NDArray, a NumPy array or a list of numbers",
        )
    )


def _fitted(values: Array, shape: Sequence[int]) -> Array:
    """Values without the axes of length one that they have too many in front, checked to fit."""
    spare = max(values.ndim - len(shape), 0)
    if values.shape[:spare] == (1,) * spare:
        values = values.reshape(values.shape[spare:])
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        raise AssignmentError(
            describe(
                f"elements of shape {values.shape} do not fit where {tuple(shape)} is assigned to",
                where="x[key] = value",
            )
        ) from None


def _lies_side_by_side(slc_key: tuple[slice, ...], shape: tuple[int, ...]) -> bool:
    """Whether the elements that slices name are contiguous."""
    return np.empty(shape, np.bool_)[slc_key].flags.c_contiguous


NDArray._basic_indexing_slice_is_contiguous = staticmethod(_lies_side_by_side)  # type: ignore[attr-defined]
