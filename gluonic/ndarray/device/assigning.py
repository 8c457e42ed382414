"""Writing arrays on devices: whole arrays, from the host, from the same device, or with one number."""

from functools import lru_cache
from math import copysign, prod
from typing import Any

import numpy as np

from gluonic.device import DeviceArray
from gluonic.graph import Array
from gluonic.graph.errors import InferenceError, describe
from gluonic.graph.versions import write
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.device.arrays import DeviceNDArray
from gluonic.support.suppress_fp_warnings import quietly

_LONGEST_PATTERN = 4  # bytes, that a device repeats


def fill(array: DeviceArray, number: Any) -> None:
    """Set all elements to a number, converted to the dtype."""
    form = array.form
    if not form.nbytes:
        return
    if not number and copysign(1.0, number) > 0:  # a cache would take -0.0 for 0.0
        pattern: bytes | None = bytes(min(form.dtype.itemsize, _LONGEST_PATTERN))
    else:
        pattern = _pattern(number, form.dtype)
    if pattern is None:
        array.copy_from_host(np.full(form.shape, number, form.dtype))
    else:
        form.device.fill(array.address, pattern, form.nbytes // len(pattern))


@lru_cache(maxsize=256, typed=True)
def _pattern(number: Any, dtype: np.dtype[Any]) -> bytes | None:
    """The bytes that a device repeats to fill an array; None if there are too many."""
    pattern = quietly(np.asarray(number).astype, dtype).tobytes()
    parts = {pattern[i : i + _LONGEST_PATTERN] for i in range(0, len(pattern), _LONGEST_PATTERN)}
    return parts.pop() if len(parts) == 1 else None


def write_host(target: DeviceArray, values: Any) -> None:
    """Write values of the host, broadcast and converted to the target's dtype."""
    values = np.asarray(values)
    if not values.ndim:
        fill(target, values[()])
        return
    if values.dtype != target.dtype:
        values = quietly(values.astype, target.dtype)
    target.copy_from_host(np.broadcast_to(values, target.shape))


def overwrite(target: DeviceNDArray, values: Any) -> DeviceNDArray:
    """Write values of the host, broadcast and converted to the target's dtype; returns the target."""
    write_host(target.device_array, values)
    return target


def copy_into(source: NDArray, target: NDArray) -> None:
    """Copy the elements of an array of any context into one of the same size, converted to its dtype.

    Raises
    ------
    InferenceError
        if the shapes differ
    """
    if source.shape != target.shape and prod(source.shape) != prod(target.shape):
        raise InferenceError(
            describe(f"an array of shape {source.shape} does not fit into {target.shape}")
        )
    if not isinstance(target, DeviceNDArray):
        quietly(write, target.elements, source.asnumpy().reshape(target.shape))
        return
    held = target.device_array
    if isinstance(source, DeviceNDArray):
        if source.device_array.dtype != held.dtype:
            source = source.detach().astype(held.dtype)
            assert isinstance(source, DeviceNDArray)
        copy_within(source.device_array, held)
        return
    write_host(held, _host(source).reshape(held.shape))


def copy_within(source: DeviceArray, target: DeviceArray) -> None:
    """Copy elements on one device; the two may share memory."""
    if source.buffer is target.buffer:
        if source.address == target.address:
            return
        if -target.nbytes < target.address - source.address < source.nbytes:
            source = source.copy()
    target.copy_from(source)


def _host(array: NDArray) -> Array:
    """The elements on the host: those of an array there are not copied."""
    return array.asnumpy() if array.on_device or array.is_sparse else array.elements
