"""Arrays whose memory is reused once nothing refers to them: new pages from the system are slow."""

import weakref
from typing import Any

import numpy as np

_KEPT = 2  # blocks


class RecycledArrays:
    """Allocates arrays of one shape.

    Parameters
    ----------
    shape, dtype : those of the arrays
    """

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self._shape, self._dtype = shape, np.dtype(dtype)
        self._free: list[Any] = []

    def array(self) -> Any:
        """Return an array with arbitrary elements."""
        try:
            block = self._free.pop()
        except IndexError:
            block = np.empty(self._shape, self._dtype)
        # Views of this array refer to it, not to the block: a view's base is the first that owns no array.
        lent = np.frombuffer(memoryview(block).cast("B"), self._dtype)
        weakref.finalize(lent, _take_back, self._free, block).atexit = False
        return lent.reshape(self._shape)


def _take_back(free: list[Any], block: Any) -> None:
    if len(free) < _KEPT:
        free.append(block)
