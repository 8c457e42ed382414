"""Loads and stores of elements: contiguous, strided, masked; float16, bfloat16 and booleans.

In memory a boolean is a byte; in registers it is a bit, and float16 and bfloat16 are float32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gluonic.codegen.machine.masked_memory import gather, masked_load, masked_store, scatter
from gluonic.codegen.maths.values import (
    BOOL,
    FLOAT32,
    INT32,
    Dtype,
    Value,
    arithmetic,
    scalar_type,
    vector_type,
)
from gluonic.graph.dtypes import is_half_width
from gluonic.support.record import record

if TYPE_CHECKING:
    from gluonic.codegen.maths.emitter import Emitter

_UINT8 = np.dtype(np.uint8)
_UINT16 = np.dtype(np.uint16)
_FLOAT16 = np.dtype(np.float16)


@record
class Lanes:
    """The elements in registers: `count` consecutive ones, or those of them that `mask` selects."""

    count: int
    mask: Value | None = None


def load(
    m: Emitter,
    address: str,
    dtype: Dtype,
    lanes: Lanes,
    stride: str | None = None,
    align: int | None = None,
) -> Value:
    """Read elements.

    Parameters
    ----------
    m : Emitter
        The emitter of the instructions.
    address : str
        Reference of the first element's address.
    dtype : numpy.dtype
        The dtype of the elements in memory.
    lanes : Lanes
        The elements.
    stride : str, optional
        Reference of the stride of elements in bytes; they are contiguous by default.
    align : int, optional
        The alignment of the address in bytes; that of an element by default.
    """
    stored = _stored(m, dtype)
    kind, size = vector_type(stored, lanes.count), align or dtype.itemsize
    if stride is not None and lanes.count > 1:
        pointers = _pointers(m, address, stride, lanes.count)
        ref = gather(m.function, kind, pointers, size, _mask(lanes))
    elif lanes.mask is not None:
        ref = masked_load(m.function, kind, address, size, lanes.mask.ref)
    else:
        ref = m.function.load(kind, address, size)
    return _from_memory(m, m.value(ref, stored, lanes.count), dtype)


def store(
    m: Emitter,
    value: Value,
    address: str,
    dtype: Dtype,
    lanes: Lanes,
    stride: str | None = None,
    align: int | None = None,
) -> None:
    """Write elements; the parameters are those of :func:`load`."""
    ready = _to_memory(m, m.spread(m.astype(value, arithmetic(dtype)), lanes.count), dtype)
    size = align or dtype.itemsize
    if stride is not None and lanes.count > 1:
        pointers = _pointers(m, address, stride, lanes.count)
        scatter(m.function, ready.type, ready.ref, pointers, size, _mask(lanes))
    elif lanes.mask is not None:
        masked_store(m.function, ready.type, ready.ref, address, size, lanes.mask.ref)
    else:
        m.function.store(ready.type, ready.ref, address, size)


def stream(m: Emitter, value: Value, address: str, dtype: Dtype, count: int) -> None:
    """Write consecutive elements with streaming stores: no cache line is fetched to be overwritten.

    The address must be aligned to the register size, and a fence must follow.
    """
    ready = _to_memory(m, m.spread(m.astype(value, arithmetic(dtype)), count), dtype)
    m.function.stream(ready.type, ready.ref, address, m.target.vector_bytes)


def selects(m: Emitter, first: str, stop: str, count: int) -> Value:
    """Return the mask of those of `count` lanes, from index `first` on, whose index is below `stop`."""
    left = m.function.least(m.function.sub(stop, first), count)
    limit = m.value(m.function.narrowed(left), INT32, 1)
    return counting(m, count, INT32) < m.spread(limit, count)


def counting(m: Emitter, count: int, dtype: Dtype) -> Value:
    """Return the integers from 0 on, one per lane."""
    if count == 1:
        return m.constant(0, dtype)
    kind = scalar_type(dtype)
    listed = ", ".join(f"{kind} {lane}" for lane in range(count))
    return m.value(f"<{listed}>", dtype, count)


def _stored(m: Emitter, dtype: Dtype) -> Dtype:
    """Return the dtype in which elements of `dtype` are stored in memory."""
    if dtype == BOOL:
        return _UINT8
    return _UINT16 if dtype == _FLOAT16 and not m.target.has_half else dtype


def _from_memory(m: Emitter, value: Value, dtype: Dtype) -> Value:
    if dtype == BOOL:
        return m.not_equal(value, 0)
    if is_half_width(dtype):
        wide = m.cast("fpext", value, FLOAT32) if m.target.has_half else _widened_half(m, value)
        m.halves[wide.ref, dtype] = value
        return wide
    return value


def _to_memory(m: Emitter, value: Value, dtype: Dtype) -> Value:
    if dtype == BOOL:
        return m.cast("zext", value, _UINT8)
    if is_half_width(dtype):
        if (value.ref, dtype) in m.halves:
            return m.halves[value.ref, dtype]
        if not m.target.has_half:
            return _narrowed_half(m, value)
        return m.cast("fptrunc", _fenced(m, value), dtype)
    return value


def as_stored(m: Emitter, value: Value, dtype: Dtype) -> Value:
    """Convert like ``astype``, and round like a store to memory of that dtype."""
    exact = value.dtype == BOOL
    value = m.astype(value, dtype)
    if exact or not is_half_width(dtype):
        return value
    with np.errstate(over="ignore"):
        least, most = (float(dtype.type(bound)) for bound in value.bounds)
    return _from_memory(m, _to_memory(m, value, dtype), dtype).within((least, most))


def _fenced(m: Emitter, value: Value) -> Value:
    """Keep LLVM from converting float64 directly to float16: on x86 it calls a function that may be missing."""
    if m.target.architecture != "x86_64":
        return value
    return m.intrinsic("arithmetic.fence", value)


def _widened_half(m: Emitter, bits: Value) -> Value:
    """Convert float16 bits to float32 with integer arithmetic."""
    wide = m.astype(bits, INT32)
    magnitude = (wide & 0x7FFF) << 13
    exact = m.bitcast(magnitude, FLOAT32) * 2.0**112  # shifts the exponent, denormals too
    special = m.bitcast(magnitude | 0x7F800000, FLOAT32)
    value = m.where((wide & 0x7C00) == 0x7C00, special, exact)
    return m.bitcast(m.bitcast(value, INT32) | ((wide & 0x8000) << 16), FLOAT32)


def _narrowed_half(m: Emitter, value: Value) -> Value:
    """Convert float32 to float16 bits, rounding to nearest even."""
    bits = m.bitcast(value, INT32)
    sign = m.value(
        m.function.op(f"lshr {bits.type} {bits.ref}, {_splat(bits, 16)}"), INT32, bits.lanes
    )
    magnitude = bits & 0x7FFFFFFF
    odd = m.right_shift(magnitude, 13) & 1
    normal = m.right_shift(magnitude - (112 << 23) + 0xFFF + odd, 13)
    # Adding 0.5 leaves the rounded float16 denormal of a small number in the lowest bits.
    small = m.bitcast(m.bitcast(magnitude, FLOAT32) + 0.5, INT32) - 0x3F000000
    finite = m.where(magnitude < (113 << 23), small, normal)
    finite = m.where(magnitude >= 0x477FF000, 0x7C00, finite)
    result = m.where(magnitude > 0x7F800000, 0x7E00, finite) | (sign & 0x8000)
    return m.astype(result, _UINT16)


def _splat(value: Value, number: int) -> str:
    return str(number) if value.lanes == 1 else f"splat (i32 {number})"


def _pointers(m: Emitter, address: str, stride: str, count: int) -> str:
    """Return a vector of addresses `stride` bytes apart."""
    wide = m.widened(m.value(stride, np.dtype(np.int64), 1), count)
    lanes = counting(m, count, np.dtype(np.int64)).ref
    offsets = m.function.op(f"mul <{count} x i64> {wide}, {lanes}")
    return m.function.op(f"getelementptr i8, ptr {address}, <{count} x i64> {offsets}")


def _mask(lanes: Lanes) -> str:
    return "splat (i1 true)" if lanes.mask is None else lanes.mask.ref
