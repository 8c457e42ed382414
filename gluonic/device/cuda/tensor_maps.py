"""Descriptions of matrices as the driver writes them (CUtensorMap, 128 bytes)."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from gluonic.device.cuda.driver import Driver
from gluonic.device.errors import DeviceError
from gluonic.device.tensor_maps import WORDS, Element, TensorMap
from gluonic.graph.errors import describe

_ALIGNMENT = 64
_TYPES: Mapping[Element, int] = {"float16": 6, "tf32": 11}
_NO_INTERLEAVE, _SWIZZLE_128, _FETCH_128, _ZEROS_BEYOND = 0, 3, 2, 0
_ADDRESSES = 1 << 32, 3 << 33
"""Any two, to see what they change in a description."""


def encoded(driver: Driver, tensor: TensorMap) -> tuple[int, ...]:
    """The numbers of a description, of which the first is without the address.

    Raises
    ------
    DeviceError
        if the driver refuses the matrix, or does not just add the address to the first number
    """
    descriptions = [_description(driver, tensor, address) for address in _ADDRESSES]
    first, second = (
        (each[0] - address, *each[1:])
        for each, address in zip(descriptions, _ADDRESSES, strict=True)
    )
    if first != second:
        facts = [" ".join(f"{number:x}" for number in each) for each in descriptions]
        raise DeviceError(describe("the driver describes matrices in another way", facts=facts))
    return first


def _description(driver: Driver, tensor: TensorMap, address: int) -> tuple[int, ...]:
    room = (ctypes.c_int64 * (WORDS + _ALIGNMENT // 8))()
    start = -(-ctypes.addressof(room) // _ALIGNMENT) * _ALIGNMENT
    driver.call(
        "cuTensorMapEncodeTiled",
        start,
        _TYPES[tensor.element],
        2,
        address,
        (ctypes.c_uint64 * 2)(tensor.columns, tensor.rows),
        (ctypes.c_uint64 * 1)(tensor.pitch),
        (ctypes.c_uint32 * 2)(tensor.box_columns, tensor.box_rows),
        (ctypes.c_uint32 * 2)(1, 1),
        _NO_INTERLEAVE,
        _SWIZZLE_128,
        _FETCH_128,
        _ZEROS_BEYOND,
    )
    return tuple((ctypes.c_int64 * WORDS).from_address(start))
