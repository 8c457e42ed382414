"""The functions of numpy.random that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.numpy.array import ndarray

__all__: list[str] = [
    "beta",
    "chisquare",
    "choice",
    "exponential",
    "gamma",
    "gumbel",
    "logistic",
    "lognormal",
    "multinomial",
    "multivariate_normal",
    "normal",
    "pareto",
    "permutation",
    "power",
    "rand",
    "randint",
    "randn",
    "rayleigh",
    "shuffle",
    "uniform",
    "weibull",
]

def beta(a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Any = None) -> ndarray:
    """Return numbers of [0, 1] of the beta distribution; see `uniform`."""

def chisquare(df: Any, size: Any = None, dtype: Any = None, ctx: Any = None) -> ndarray:
    """Return sums of squares of `df` normally distributed numbers; see `uniform`."""

def choice(
    a: Any,
    size: Any = None,
    replace: bool = True,
    p: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> ndarray:
    """Return elements drawn from an array, or numbers below one."""

def exponential(scale: Any = 1.0, size: Any = None, ctx: Any = None, out: Any = None) -> ndarray:
    """Return exponentially distributed numbers of scale `scale`; see `uniform`."""

def gamma(
    shape: Any,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> ndarray:
    """Return gamma distributed numbers of `shape` and `scale`; see `uniform`."""

def gumbel(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, ctx: Any = None, out: Any = None) -> ndarray:
    """Return Gumbel distributed numbers at `loc`, stretched by `scale`; see `uniform`."""

def logistic(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, ctx: Any = None, out: Any = None) -> ndarray:
    """Return numbers of the logistic distribution at `loc`, stretched by `scale`; see `uniform`."""

def lognormal(
    mean: Any = 0.0,
    sigma: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> ndarray:
    """Return exponentials of normally distributed numbers; see `normal`."""

def multinomial(n: int, pvals: Any, size: Any = None) -> ndarray:
    """Return the counts of categories in `n` trials; `size` such vectors."""

def multivariate_normal(
    mean: Any,
    cov: Any,
    size: Any = None,
    check_valid: Any = None,
    tol: Any = None,
) -> ndarray:
    """Return normally distributed vectors."""

def normal(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> ndarray:
    """Return normally distributed numbers with mean `loc` and standard deviation `scale`; see `uniform`."""

def pareto(a: Any, size: Any = None, ctx: Any = None, out: Any = None) -> ndarray:
    """Return numbers of Pareto's distribution, from 0 on, of shape `a`; see `uniform`."""

def permutation(x: Any) -> ndarray:
    """Return the rows of an array, or the numbers below one, in random order."""

def power(a: Any, size: Any = None) -> ndarray:
    """Return numbers of [0, 1] whose `a`-th powers are evenly distributed; see `uniform`."""

def rand(*size: int, **kwargs: Any) -> ndarray:
    """Return an array of the given extents with samples of the uniform distribution on [0, 1)."""

def randint(
    low: int,
    high: int | None = None,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> ndarray:
    """Return random integers from `low` to below `high`; with one limit, from 0 to below it."""

def randn(*size: int, **kwargs: Any) -> ndarray:
    """Return an array of the given extents with samples of the standard normal distribution."""

def rayleigh(scale: Any = 1.0, size: Any = None, ctx: Any = None, out: Any = None) -> ndarray:
    """Return Rayleigh distributed numbers of scale `scale`; see `uniform`."""

def shuffle(x: Any) -> None:
    """Put the rows of an array in random order, in place."""

def uniform(
    low: Any = 0.0,
    high: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    ctx: Any = None,
    out: Any = None,
) -> ndarray:
    """Return samples of the uniform distribution between `low` and `high`."""

def weibull(a: Any, size: Any = None, ctx: Any = None, out: Any = None) -> ndarray:
    """Return Weibull distributed numbers of shape `a`; see `uniform`."""
