"""The functions of symbol.random that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.symbol.symbol import Symbol

__all__: list[str] = [
    "exponential_like",
    "gamma_like",
    "generalized_negative_binomial_like",
    "negative_binomial_like",
    "normal_like",
    "poisson_like",
    "uniform_like",
]

def exponential_like(
    data: Symbol | None = None,
    lam: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Exponentially distributed numbers of rate `lam`, that is, mean ``1 / lam``; of the shape and dtype of `data`."""

def gamma_like(
    data: Symbol | None = None,
    alpha: float = 1.0,
    beta: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Gamma distributed numbers of shape `alpha` and scale `beta`; of the shape and dtype of `data`."""

def generalized_negative_binomial_like(
    data: Symbol | None = None,
    mu: float = 1.0,
    alpha: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Negative binomial numbers of mean `mu` and variance ``mu + alpha * mu**2``; of the shape and dtype of `data`."""

def negative_binomial_like(
    data: Symbol | None = None,
    k: int = 1,
    p: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """The number of successes, of probability ``1 - p``, before `k` failures; of the shape and dtype of `data`."""

def normal_like(
    data: Symbol | None = None,
    loc: float = 0.0,
    scale: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Normally distributed numbers with mean `loc` and standard deviation `scale`; of the shape and dtype of `data`."""

def poisson_like(
    data: Symbol | None = None,
    lam: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Poisson distributed numbers of mean `lam`; of the shape and dtype of `data`."""

def uniform_like(
    data: Symbol | None = None,
    low: float = 0.0,
    high: float = 1.0,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Numbers distributed uniformly between `low` and `high`, which is returned only by rounding; of the shape and dtype of `data`."""
