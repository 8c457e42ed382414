"""NumPy arrays from nested lists of equal lengths."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic.graph import Array


def _refusing_unequal(make: Callable[[Any], Array]) -> Callable[[Any], Array]:
    """`make`, with an error for lists of unequal lengths: NumPy 1.23 warns, and makes an array of lists."""
    if np.lib.NumpyVersion(np.__version__) >= "1.24.0":
        return make

    def made(value: Any) -> Array:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", "Creating an ndarray from ragged", UserWarning)
            try:
                return make(value)
            except UserWarning as warning:
                raise ValueError(str(warning)) from None

    return made


array_of = _refusing_unequal(np.array)
shared_array_of = _refusing_unequal(np.asarray)
