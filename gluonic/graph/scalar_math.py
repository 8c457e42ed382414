"""The functions that scalar expressions may use, read by NumPy: ``m`` in ``lambda m, x: m.exp(x)``.

The other reader is the compiler's emitter, which has the same names for LLVM values. NumPy's functions
come as they are; below are the ones that NumPy lacks. SciPy is imported when first needed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np


def _sigmoid(x: Any) -> Any:
    """The logistic function, without overflow for large negative numbers."""
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, e) / (1 + e)


def _astype(x: Any, dtype: Any) -> Any:
    return np.asarray(x).astype(dtype)


def _special(name: str) -> Callable[..., Any]:
    def call(*values: Any) -> Any:
        import scipy.special

        function = getattr(scipy.special, name)
        setattr(ScalarMath, name, staticmethod(function))
        return function(*values)

    return call


class ScalarMath:
    """NumPy's functions, and `sigmoid`, `astype` and SciPy's special functions beside them."""

    sigmoid = staticmethod(_sigmoid)
    astype = staticmethod(_astype)
    erf = staticmethod(_special("erf"))
    erfinv = staticmethod(_special("erfinv"))
    gamma = staticmethod(_special("gamma"))
    gammaln = staticmethod(_special("gammaln"))
    digamma = staticmethod(_special("digamma"))

    def __getattr__(self, name: str) -> Any:
        function = getattr(np, name)
        setattr(ScalarMath, name, staticmethod(function))  # found at once the next time
        return function


M = ScalarMath()
