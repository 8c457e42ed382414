"""The functions of numpy_extension.random that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.numpy.array import ndarray

__all__: list[str] = [
    "bernoulli",
    "normal_n",
    "uniform_n",
]

def bernoulli(
    prob: Any = None,
    logit: Any = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> ndarray:
    """Return samples of the Bernoulli distribution."""

def normal_n(
    loc: Any = 0.0,
    scale: Any = 1.0,
    batch_shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
) -> ndarray:
    """Return normally distributed numbers, `batch_shape` of them for each mean and deviation."""

def uniform_n(
    low: Any = 0.0,
    high: Any = 1.0,
    batch_shape: Any = None,
    dtype: Any = None,
    ctx: Any = None,
) -> ndarray:
    """Return samples of uniform distributions, `batch_shape` of them for each pair of limits."""
