"""Attributes of operators on float16, which are rounded before use, as in MXNet."""

from collections.abc import Mapping
from typing import Any

import numpy as np

HALF = np.dtype(np.float16)


def rounded_attributes(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that are not exact in float16, rounded to float16."""
    found = {}
    with np.errstate(over="ignore"):
        for name, value in settings.items():
            if type(value) is float and value == value:
                rounded = float(np.float16(value))
                if rounded != value:
                    found[name] = rounded
    return found
