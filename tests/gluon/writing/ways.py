"""Ways of changing a parameter's value or replacing its array."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic import nd

SHAPE = (8, 3, 3, 3)
SIZE = 8 * 27

Way = Callable[[Any, Any], Any]
"""Changes a parameter, the first argument, of a net, the second."""

WAYS: dict[str, Way] = {}
ONE_INPUT = nd.array(np.random.default_rng(0).standard_normal((2, 3, 8, 8)), dtype="float32")


def way(function: Way) -> Way:
    """Enter a way under the name of a function."""
    WAYS[function.__name__] = function
    return function


def drawn() -> Any:
    """Other values."""
    return nd.array(np.random.default_rng().standard_normal(SHAPE), dtype="float32")
