"""``mx.test_utils`` of MXNet 2.0: that of 1.x, with devices."""

from typing import Any

import numpy as np

from gluonic import test_utils as of_one
from gluonic.ndarray.context import Context, current_context
from gluonic.test_utils import *

default_device = of_one.default_context
set_default_device = of_one.set_default_context


def __getattr__(name: str) -> Any:
    return getattr(of_one, name)


def create_2d_np_tensor(rows: int, columns: int, dtype: Any = np.int64) -> Any:
    """Return an array of whole numbers, which grow by one from row to row."""
    return np.arange(rows, dtype=dtype).reshape(rows, 1) + np.zeros((1, columns), dtype)


def current_device() -> Context:
    """Return the device of the innermost ``with`` block."""
    return current_context()
