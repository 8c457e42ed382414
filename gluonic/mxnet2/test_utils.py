"""``mx.test_utils`` of MXNet 2.0: that of 1.x, with devices."""

import platform
from typing import Any

from gluonic import test_utils as of_one
from gluonic.ndarray.context import Context, current_context
from gluonic.test_utils import *

default_device = of_one.default_context
set_default_device = of_one.set_default_context


def __getattr__(name: str) -> Any:
    return getattr(of_one, name)


def current_device() -> Context:
    """Return the device of the innermost ``with`` block."""
    return current_context()


def is_aarch64_run() -> bool:
    """Whether the processor is of Arm's 64-bit architecture."""
    return platform.machine() == "aarch64"
