"""float16: results are rounded to it, and so are attributes first, as in MXNet."""

from collections.abc import Mapping
from typing import Any

import numpy as np

HALF = np.dtype(np.float16)


def rounded_attributes(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes that are numbers float16 does not have, as the nearest ones that it has."""
    found = {}
    with np.errstate(over="ignore"):
        for name, value in settings.items():
            if type(value) is float and value == value:
                rounded = float(np.float16(value))
                if rounded != value:
                    found[name] = rounded
    return found
