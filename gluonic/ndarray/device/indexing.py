"""Reading and writing parts of arrays on devices, with the keys of `mx.nd` and of `mx.np`.

A basic key whose elements are contiguous gives a view; operators compute all other parts, on the device.
"""

from math import prod
from typing import Any

import numpy as np

from gluonic.device import DeviceArray
from gluonic.graph import REGISTRY, Array
from gluonic.graph.errors import OutOfRangeError, describe
from gluonic.ndarray import indexing as of_nd
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.assigning import AssignmentError, values_of
from gluonic.ndarray.device.arrays import DeviceNDArray, made, method, of_host
from gluonic.ndarray.device.assigning import copy_into, copy_within, fill
from gluonic.ndarray.device.calls import check_contexts, invoke_there
from gluonic.ndarray.device.methods import view, with_shape
from gluonic.ndarray.invoke import invoke
from gluonic.ndarray.keys import EVERYTHING, Key, recorded_parts, slices_of
from gluonic.ndarray.numpy import indexing as of_np
from gluonic.ndarray.recording import check_writable, put
from gluonic.ndarray.state import STATE
from gluonic.ndarray.tape import FunctionRecord, entry_of
from gluonic.support.suppress_fp_warnings import quietly


class _Part:
    """The elements that a basic key selects from an array of some shape, in C order.

    Attributes
    ----------
    ranges : the indices along each axis
    shape : of the part
    first : the index of its first element in the flat array
    is_contiguous : whether its elements follow each other there
    """

    def __init__(self, shape: tuple[int, ...], key: Key) -> None:
        self.ranges: list[range] = []
        lengths = []
        for part in _for_each_axis(key, len(shape)):
            if part is None:
                lengths.append(1)
                continue
            length = shape[len(self.ranges)]
            if isinstance(part, slice):
                self.ranges.append(range(*part.indices(length)))
                lengths.append(len(self.ranges[-1]))
            else:
                index = int(part) % length
                self.ranges.append(range(index, index + 1))
        self.shape = tuple(lengths)
        self.first, self.is_contiguous = 0, True
        stride = expected = 1  # of the whole array, and of a contiguous part
        for along, length in zip(reversed(self.ranges), reversed(shape), strict=True):
            self.first += along.start * stride
            if len(along) > 1 and along.step * stride != expected:
                self.is_contiguous = False
            expected *= len(along)
            stride *= length
        if not expected:
            self.first, self.is_contiguous = 0, True


def _for_each_axis(key: Key, axes: int) -> Key:
    """A basic key without ``...``, in which slices and integers stand for all axes."""
    position = next((i for i, part in enumerate(key) if part is Ellipsis), len(key))
    before, after = key[:position], key[position + 1 :]
    explicit = sum(part is not None for part in (*before, *after))
    return (*before, *(EVERYTHING,) * (axes - explicit), *after)


# ----------------------------------------------------------------------------------------- reading


def _read_key(self: DeviceNDArray, key: Any) -> tuple[Key, bool]:
    """The key as a tuple with NumPy's arrays as indices, and whether it is basic."""
    return of_np._read_key(self, key) if self.of_numpy else of_nd._read_key(self, key)  # type: ignore[arg-type]


@method("__getitem__")
def getitem(self: DeviceNDArray, key: Any) -> NDArray:
    """Return the part that a key selects."""
    if isinstance(key, DeviceNDArray) and key.device_array.dtype.kind in "iuf":
        return _rows(self, key)
    if not (STATE.recording and self.tape_entry is not None):
        rows = _rows_of(self, key)
        if rows is not None:
            return made(rows, type(self))
    index, basic = _read_key(self, key)
    if basic:
        if not self.of_numpy and (not index or (len(index) == 1 and index[0] == EVERYTHING)):
            return self
        return _basic(self, index)
    return _advanced(self, index, recorded_parts(key))


def _rows_of(self: DeviceNDArray, key: Any) -> DeviceArray | None:
    """What an integer or a plain slice selects, if that are rows; None in all other cases."""
    held, kind = self.device_array, type(key)
    shape = held.form.shape
    rows: tuple[int, ...] = ()
    if kind is int and len(shape) > 1 and -shape[0] <= key < shape[0]:
        start = key % shape[0]
    elif kind is slice and key.step is None and shape and key != EVERYTHING:
        start, stop, _ = key.indices(shape[0])
        rows = (max(stop - start, 0),)
    else:
        return None
    return held.part(start * prod(shape[1:]), rows + shape[1:])


def _basic(self: DeviceNDArray, key: Key) -> NDArray:
    """The elements of a basic key: a view if they are contiguous, else a copy."""
    part = _Part(self.shape, key)
    shape = part.shape or (() if self.of_numpy else (1,) * min(self.ndim, 1))
    if part.is_contiguous and not (STATE.recording and self.tape_entry is not None):
        return made(self.device_array.part(part.first, shape), type(self))
    slices = slices_of(self, key)
    fields = [tuple(getattr(s, field) for s in slices) for field in ("start", "stop", "step")]
    attributes = dict(zip(("begin", "end", "step"), fields, strict=True))
    lengths = tuple(map(len, part.ranges))
    if part.is_contiguous:
        elements = self.device_array.part(part.first, lengths)
        found = view(self, elements, "slice", attributes) if lengths else with_shape(self, ())
    else:
        found = invoke(REGISTRY["slice"].apply(attributes), (self,))[0]  # type: ignore[assignment]
    return found if found.shape == shape else with_shape(found, shape)


def _rows(self: DeviceNDArray, rows: DeviceNDArray) -> NDArray:
    """The rows that an array on the device names; indices out of range wrap around, they are not checked."""
    check_contexts("x[indices]", (self, rows))
    take = REGISTRY["take"].apply({"axis": 0, "mode": "wrap"})
    return invoke(take, (self, rows))[0]


def _advanced(self: DeviceNDArray, key: Key, recorded: list[NDArray]) -> NDArray:
    """A copy of the elements of a key with arrays, which include those in `recorded`."""
    device = self.device_array.device
    only = key[0] if len(key) == 1 or (len(key) == 2 and key[1] is Ellipsis) else None
    if isinstance(only, np.ndarray) and only.dtype.kind == "i" and self.ndim and not recorded:
        _check_rows(self, only)
        return _rows(self, of_host(only, device))
    indices = of_host(_positions(self, key), device)
    if recorded:  # indices have no gradient, but a loss may be upstream of them
        entries = [entry_of(part) for part in recorded]
        put(FunctionRecord(entries, 1, lambda heads: [None] * len(entries)), (), (indices,))
    return invoke_there(REGISTRY["take"].apply({}), (with_shape(self, (self.size,)), indices))[0]


def _positions(self: DeviceNDArray, key: Key) -> Array:
    """The flat indices of the elements of a key."""
    try:
        found: Array = np.asarray(np.arange(self.size).reshape(self.shape)[key])
    except IndexError as error:
        raise OutOfRangeError(f"{error}; the array's shape is {self.shape}") from None
    return found


def _check_rows(self: DeviceNDArray, rows: Array) -> None:
    count = len(self)
    if rows.size and not -count <= rows.min() <= rows.max() < count:
        raise OutOfRangeError(
            describe(
                f"an index is out of bounds for axis 0 with size {count}",
                facts=[f"the array: shape {self.shape}"],
            )
        )


# ----------------------------------------------------------------------------------------- writing


@method("__setitem__")
def setitem(self: DeviceNDArray, key: Any, value: Any) -> None:
    """Write to the part that a key selects."""
    if type(key) is slice and key == EVERYTHING and not STATE.recording:
        _write(self, self.device_array, value)
        return
    index, basic = _read_key(self, key)
    part = _Part(self.shape, index) if basic else None
    if STATE.recording:
        whole = part is not None and part.is_contiguous and prod(part.shape) == self.size
        if isinstance(value, NDArray) and whole and part is not None:
            _overwrite_recorded(self, value, part.shape)
            return
        check_writable(self, (self, value) if isinstance(value, NDArray) else (self,))
    if part is not None and part.is_contiguous:
        _write(self, self.device_array.part(part.first, part.shape), value)
        return
    positions = _positions(self, index)
    values = _values(self, value, positions.shape)
    _scatter(self, positions, values)


def _write(self: DeviceNDArray, target: DeviceArray, value: Any) -> None:
    """Write to a contiguous part of an array."""
    if isinstance(value, (int, float, np.number)):
        fill(target, value)
    else:
        copy_within(_values(self, value, target.shape).device_array, target)


def _overwrite_recorded(self: DeviceNDArray, value: NDArray, shape: tuple[int, ...]) -> None:
    """Replace a whole array, in the shape that its key gives it, by a value; recorded."""
    if value is self:
        return
    if value.shape != shape:
        lacking = max(value.ndim - len(shape), 0)
        if value.shape[:lacking] == (1,) * lacking:
            value = value.reshape(value.shape[lacking:])
        value = value.broadcast_to(shape)
    (value.reshape(self.shape) if shape != self.shape else value).copyto(self)


def _values(self: DeviceNDArray, value: Any, shape: tuple[int, ...]) -> DeviceNDArray:
    """The assigned values on the device, in the dtype of the array and in the shape of the part."""
    held = self.device_array
    if not isinstance(value, DeviceNDArray) or value.device_array.device is not held.device:
        elements = values_of(value, held.dtype)
        if elements.dtype != held.dtype:
            elements = quietly(elements.astype, held.dtype)
        _check_fits(elements.shape, shape)
        spare = max(elements.ndim - len(shape), 0)
        fitted = np.broadcast_to(elements.reshape(elements.shape[spare:]), shape)
        return of_host(fitted, held.device)
    _check_fits(value.shape, shape)
    values = value.detach().as_nd_ndarray()
    if np.dtype(values.dtype) != held.dtype:
        values = values.astype(held.dtype)
    spare = max(values.ndim - len(shape), 0)
    lengths = (1,) * (len(shape) - values.ndim) + values.shape[spare:]
    assert isinstance(values, DeviceNDArray)
    if lengths != values.shape:
        values = with_shape(values, lengths)
    if lengths != shape:
        values = invoke(REGISTRY["broadcast_to"].apply({"shape": shape}), (values,))[0]
        assert isinstance(values, DeviceNDArray)
    return values


def _check_fits(values: tuple[int, ...], part: tuple[int, ...]) -> None:
    """Check that values broadcast to the part; surplus leading axes of length one are ignored."""
    spare = max(len(values) - len(part), 0)
    lengths = values[spare:] if values[:spare] == (1,) * spare else values
    try:
        fits = np.broadcast_shapes(lengths, part) == part
    except ValueError:
        fits = False
    if not fits:
        raise AssignmentError(
            describe(
                f"values of shape {values} cannot be assigned to a part of shape {part}",
                where="x[key] = value",
            )
        )


def _scatter(self: DeviceNDArray, positions: Array, values: DeviceNDArray) -> None:
    """Write values to the elements at flat indices."""
    if not positions.size:
        return
    device, size = self.device_array.device, self.size
    flat = with_shape(self.detach().as_nd_ndarray(), (size,))  # type: ignore[arg-type]
    indices = of_host(positions.reshape(1, -1), device)
    scatter = REGISTRY["_scatter_set_nd"].apply({"shape": (size,)})
    result = invoke(scatter, (flat, with_shape(values, (positions.size,)), indices))[0]
    copy_into(result, flat)
