"""Single numbers, of Python or in arrays, in float32."""

from typing import Any

import numpy as np


def single(number: Any) -> Any:
    """A number, or the only element of an array, as float32.

    >>> single(np.array([0.5])), single(2)
    (np.float32(0.5), np.float32(2.0))
    """
    array: Any = number if hasattr(number, "astype") else np.float32(number)
    return array.astype(np.float32).reshape(())[()]
