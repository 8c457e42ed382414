"""The functions of ndarray.random that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.array import NDArray

__all__: list[str] = [
    "exponential",
    "exponential_like",
    "gamma",
    "gamma_like",
    "generalized_negative_binomial",
    "generalized_negative_binomial_like",
    "negative_binomial",
    "negative_binomial_like",
    "normal",
    "normal_like",
    "poisson",
    "poisson_like",
    "randint",
    "uniform",
    "uniform_like",
]

def exponential(
    scale: Any = ...,
    shape: Any = ...,
    dtype: Any = ...,
    ctx: Any = ...,
    out: Any = ...,
) -> NDArray:
    """Draw from the exponential distribution with mean `scale`."""

def exponential_like(
    data: NDArray,
    lam: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Exponentially distributed numbers of rate `lam`, that is, mean ``1 / lam``; of the shape and dtype of `data`."""

def gamma(
    alpha: Any = ...,
    beta: Any = ...,
    shape: Any = ...,
    dtype: Any = ...,
    ctx: Any = ...,
    out: Any = ...,
) -> NDArray:
    """Draw from the gamma distribution with shape `alpha` and scale `beta`."""

def gamma_like(
    data: NDArray,
    alpha: float = 1.0,
    beta: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Gamma distributed numbers of shape `alpha` and scale `beta`; of the shape and dtype of `data`."""

def generalized_negative_binomial(
    mu: Any = ...,
    alpha: Any = ...,
    shape: Any = ...,
    dtype: Any = ...,
    ctx: Any = ...,
    out: Any = ...,
) -> NDArray:
    """Draw from the negative binomial distribution with mean `mu` and dispersion `alpha`."""

def generalized_negative_binomial_like(
    data: NDArray,
    mu: float = 1.0,
    alpha: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Negative binomial numbers of mean `mu` and variance ``mu + alpha * mu**2``; of the shape and dtype of `data`."""

def negative_binomial(
    k: Any = ...,
    p: Any = ...,
    shape: Any = ...,
    dtype: Any = ...,
    ctx: Any = ...,
    out: Any = ...,
) -> NDArray:
    """Draw from the negative binomial distribution: failures before `k` successes of probability `p`."""

def negative_binomial_like(
    data: NDArray,
    k: int = 1,
    p: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """The number of successes, of probability ``1 - p``, before `k` failures; of the shape and dtype of `data`."""

def normal(
    loc: Any = ...,
    scale: Any = ...,
    shape: Any = ...,
    dtype: Any = ...,
    ctx: Any = ...,
    out: Any = ...,
) -> NDArray:
    """Draw from the normal distribution with mean `loc` and standard deviation `scale`."""

def normal_like(
    data: NDArray,
    loc: float = 0.0,
    scale: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Normally distributed numbers with mean `loc` and standard deviation `scale`; of the shape and dtype of `data`."""

def poisson(lam: Any = ..., shape: Any = ..., dtype: Any = ..., ctx: Any = ..., out: Any = ...) -> NDArray:
    """Draw from the Poisson distribution with mean `lam`."""

def poisson_like(
    data: NDArray,
    lam: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Poisson distributed numbers of mean `lam`; of the shape and dtype of `data`."""

def randint(low: Any, high: Any, shape: Any = ..., dtype: Any = ..., ctx: Any = ..., out: Any = ...) -> NDArray:
    """Draw integers of ``[low, high)``, all equally likely."""

def uniform(
    low: Any = ...,
    high: Any = ...,
    shape: Any = ...,
    dtype: Any = ...,
    ctx: Any = ...,
    out: Any = ...,
) -> NDArray:
    """Draw from the uniform distribution on ``[low, high)``."""

def uniform_like(
    data: NDArray,
    low: float = 0.0,
    high: float = 1.0,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; of the shape and dtype of `data`."""
