"""How arrays are printed."""

from typing import Any

import numpy as np

__all__ = ["set_printoptions"]


def set_printoptions(
    precision: int | None = None, threshold: int | None = None, **kwarg: Any
) -> None:
    """Choose how arrays are printed, those of NumPy, too.

    Parameters
    ----------
    precision : number of decimals
    threshold : of how many elements some are left out
    kwarg : further options of ``numpy.set_printoptions``: `edgeitems`, `linewidth`, `suppress`, …
    """
    np.set_printoptions(precision=precision, threshold=threshold, **kwarg)
