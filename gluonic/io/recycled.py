"""Arrays whose memory is reused once nothing refers to them: fresh pages from the system are slow."""

import weakref
from typing import Any

import numpy as np

_KEPT = 2  # blocks


class RecycledArrays:
    """Makes arrays of one shape.

    Parameters
    ----------
    shape, dtype : of the arrays
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._shape, self._dtype = shape, np.dtype(dtype)
        self._free: list[Any] = []

    def array(self) -> Any:
        """Make an array; its elements are arbitrary."""
        try:
            block = self._free.pop()
        except IndexError:
            block = np.empty(self._shape, self._dtype)
        # All views of this array refer to it, not to the block: views do so to the first that owns no array.
        lent = np.frombuffer(memoryview(block).cast("B"), self._dtype)
        weakref.finalize(lent, _take_back, self._free, block).atexit = False
        return lent.reshape(self._shape)


def _take_back(free: list[Any], block: Any) -> None:
    if len(free) < _KEPT:
        free.append(block)
