"""Options for printing arrays."""

from typing import Any

import numpy as np

__all__ = ["set_printoptions"]


def set_printoptions(
    precision: int | None = None, threshold: int | None = None, **kwarg: Any
) -> None:
    """Set the options for printing arrays, including NumPy's.

    Parameters
    ----------
    precision : number of decimals
    threshold : the number of elements above which some are left out
    kwarg : further options of ``numpy.set_printoptions``: `edgeitems`, `linewidth`, `suppress`, …
    """
    np.set_printoptions(precision=precision, threshold=threshold, **kwarg)
