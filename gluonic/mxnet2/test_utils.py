"""``mx.test_utils`` of MXNet 2.0: that of 1.x, with devices."""

from typing import Any

import numpy as np

from gluonic import mxnet2 as mx
from gluonic import test_utils as of_one
from gluonic.mxnet2 import default_dtype
from gluonic.mxnet2.fallback import all_of, of_module
from gluonic.ndarray.context import Context, current_context

default_device = of_one.default_context
use_np_default_dtype = default_dtype.use_np_default_dtype


def set_default_device(device: Context) -> None:
    """Choose the device of arrays that are made without one."""
    of_one.set_default_context(device)


__getattr__, __dir__ = of_module(of_one, globals())
_: Any = mx  # which programs get by ``from mxnet.test_utils import *``
__all__ = all_of(
    of_one,
    "create_2d_np_tensor",
    "current_device",
    "default_device",
    "set_default_device",
    "use_np_default_dtype",
)


def create_2d_np_tensor(rows: int, columns: int, dtype: Any = np.int64) -> Any:
    """Return an array of whole numbers, which grow by one from row to row."""
    return np.arange(rows, dtype=dtype).reshape(rows, 1) + np.zeros((1, columns), dtype)


def current_device() -> Context:
    """Return the device of the innermost ``with`` block."""
    return current_context()
