"""Pickles as MXNet writes them."""

import io
import pickle
import struct
from typing import Any

from gluonic import nd

_CODES = {"float32": 0, "float64": 1, "float16": 2, "uint8": 3, "int32": 4, "int8": 5, "int64": 6}


class _Pickler(pickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, nd.NDArray):
            return nd.NDArray, (None,), {"handle": bytearray(_block(obj))}
        return NotImplemented


def _block(array: Any) -> bytes:
    """What stands in a parameter file for an array."""
    header = 0xF993FAC9, 0, array.ndim, *array.shape, 1, 0, _CODES[array.dtype.__name__]
    packed: bytes = struct.pack(f"<Iii{array.ndim}qiii", *header)
    return packed + bytes(array.asnumpy().tobytes())


def as_mxnet_pickles(value: Any, protocol: int) -> bytes:
    """Pickle states; Python 2, on which MXNet ran as well, writes protocol 0."""
    stream = io.BytesIO()
    _Pickler(stream, protocol).dump(value)
    return stream.getvalue()
