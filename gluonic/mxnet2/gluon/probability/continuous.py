"""Distributions of real numbers."""

import math
from typing import Any, ClassVar

from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2.gluon.probability.constraint import (
    Constraint,
    Interval,
    Positive,
    Real,
    UnitInterval,
    dependent_property,
)
from gluonic.mxnet2.gluon.probability.distribution import Distribution, ExponentialFamily
from gluonic.mxnet2.gluon.probability.special import (
    cached_property,
    clipped,
    error_function,
    inverse_error_function,
    log_gamma,
    psi,
)

__all__ = [
    "Beta", "Cauchy", "Chi2", "Exponential", "FisherSnedecor", "Gamma", "Gumbel", "Laplace", "Normal",
    "StudentT",
    "Uniform",
]  # fmt: skip

_EULER = 0.5772156649015329
Constraints = dict[str, Constraint]


class _Located(Distribution):
    """A distribution that is moved by `loc` and stretched by `scale`.

    Parameters
    ----------
    loc : where it is
    scale : how wide it is
    validate_args : whether parameters and values are checked
    """

    has_grad = True
    support = Real()
    arg_constraints: ClassVar[Constraints] = {"loc": Real(), "scale": Positive()}

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.loc, self.scale = loc, scale
        super().__init__(0, validate_args)

    def _standard(self, shape: tuple[int, ...]) -> Any:
        """Samples with `loc` 0 and `scale` 1."""
        raise NotImplementedError

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return self.loc + self._standard(shape) * self.scale

    def _apart(self, value: Any) -> Any:
        """The distance of a value from `loc`, in units of `scale`."""
        return (self._checked(value) - self.loc) / self.scale

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.loc


class Normal(_Located, ExponentialFamily):
    """The normal distribution, whose mean is `loc` and whose standard deviation is `scale`."""

    def _standard(self, shape: tuple[int, ...]) -> Any:
        return np.random.normal(0.0, 1.0, shape)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        apart = self._apart(value)
        return -0.5 * apart * apart - np.log(self.scale) - 0.5 * math.log(2 * math.pi)

    def cdf(self, value: Any) -> Any:
        """Return the probability of smaller samples."""
        return 0.5 * (1 + error_function(self._apart(value) / math.sqrt(2)))

    def icdf(self, value: Any) -> Any:
        """Return the value with a given `cdf`."""
        return self.loc + self.scale * inverse_error_function(2 * value - 1) * math.sqrt(2)

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return self.scale

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.scale**2

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + np.log(self.scale)

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return self.loc / self.scale**2, -0.5 / self.scale**2

    def _log_normalizer(self, *natural_params: Any) -> Any:
        x, y = natural_params
        return -0.25 * x**2 / y + 0.5 * np.log(-math.pi / y)


class Laplace(_Located):
    """The Laplace distribution: exponential on both sides of `loc`."""

    def _standard(self, shape: tuple[int, ...]) -> Any:
        return np.random.laplace(0.0, 1.0, shape)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        return -np.log(2 * self.scale) - np.abs(self._apart(value))

    def cdf(self, value: Any) -> Any:
        """Return the probability of smaller samples."""
        apart = self._apart(value)
        return 0.5 - 0.5 * np.sign(apart) * np.expm1(-np.abs(apart))

    def icdf(self, value: Any) -> Any:
        """Return the value with a given `cdf`."""
        side = value - 0.5
        return self.loc - self.scale * np.sign(side) * np.log1p(-2 * np.abs(side))

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return math.sqrt(2) * self.scale

    @property
    def variance(self) -> Any:
        """The variance."""
        return 2 * self.scale**2

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return 1 + np.log(2 * self.scale)


class Cauchy(_Located):
    """The Cauchy distribution, whose tails are so heavy that it has neither a mean nor a variance."""

    def _standard(self, shape: tuple[int, ...]) -> Any:
        return np.tan(math.pi * (np.random.uniform(0.0, 1.0, shape) - 0.5))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        return -math.log(math.pi) - np.log(self.scale) - np.log1p(self._apart(value) ** 2)

    def cdf(self, value: Any) -> Any:
        """Return the probability of smaller samples."""
        return np.arctan(self._apart(value)) / math.pi + 0.5

    def icdf(self, value: Any) -> Any:
        """Return the value with a given `cdf`."""
        return np.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    @property
    def mean(self) -> Any:
        """NaN: there is none."""
        return math.nan

    @property
    def variance(self) -> Any:
        """NaN: there is none."""
        return math.nan

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return math.log(4 * math.pi) + np.log(self.scale)


class Gumbel(_Located):
    """The Gumbel distribution: the greatest of many samples."""

    def __init__(self, loc: Any, scale: Any = 1, validate_args: bool | None = None) -> None:
        super().__init__(loc, scale, validate_args)

    def _standard(self, shape: tuple[int, ...]) -> Any:
        return np.random.gumbel(0.0, 1.0, shape)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        apart = -self._apart(value)
        return apart - np.exp(apart) - np.log(self.scale)

    def cdf(self, value: Any) -> Any:
        """Return the probability of smaller samples."""
        return np.exp(-np.exp(-self._apart(value)))

    def icdf(self, value: Any) -> Any:
        """Return the value with a given `cdf`."""
        return self.loc - self.scale * np.log(-np.log(value))

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.loc + self.scale * _EULER

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.stddev**2

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return np.log(self.scale) + (1 + _EULER)


class Uniform(Distribution):
    """Numbers between two bounds.

    Parameters
    ----------
    low, high : the bounds
    validate_args : whether parameters and values are checked
    """

    has_grad = True
    arg_constraints: ClassVar[Constraints] = {"low": Real(), "high": Real()}

    def __init__(self, low: Any = 0.0, high: Any = 1.0, validate_args: bool | None = None) -> None:
        self.low, self.high = low, high
        super().__init__(0, validate_args)

    @dependent_property
    def support(self) -> Any:
        """The numbers between the bounds."""
        return Interval(self.low, self.high)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return self.low + np.random.uniform(0.0, 1.0, shape) * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density; minus infinity outside the bounds."""
        value = self._checked(value)
        inside = (value > self.low) & (value < self.high)
        level = np.zeros_like(value) - np.log(self.high - self.low)
        return np.where(inside, level, np.full_like(level, -math.inf))

    def cdf(self, value: Any) -> Any:
        """Return the probability of smaller samples."""
        return np.clip((self._checked(value) - self.low) / (self.high - self.low), 0, 1)

    def icdf(self, value: Any) -> Any:
        """Return the value with a given `cdf`."""
        return value * (self.high - self.low) + self.low

    @property
    def mean(self) -> Any:
        """The mean."""
        return (self.low + self.high) / 2

    @property
    def variance(self) -> Any:
        """The variance."""
        return (self.high - self.low) ** 2 / 12

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return np.log(self.high - self.low)


class Exponential(ExponentialFamily):
    """The exponential distribution: waiting times.

    Parameters
    ----------
    scale : the mean
    validate_args : whether parameters and values are checked
    """

    has_grad = True
    support = Positive()
    arg_constraints: ClassVar[Constraints] = {"scale": Positive()}

    def __init__(self, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.scale = scale
        super().__init__(0, validate_args)

    @cached_property
    def rate(self) -> Any:
        """One divided by the mean."""
        return 1 / self.scale

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.exponential(1.0, shape) * self.scale

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        return np.log(self.rate) - self.rate * self._checked(value)

    def cdf(self, value: Any) -> Any:
        """Return the probability of smaller samples."""
        return -np.expm1(-self.rate * self._checked(value))

    def icdf(self, value: Any) -> Any:
        """Return the value with a given `cdf`."""
        return -self.scale * np.log1p(-value)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.scale

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return self.scale

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.scale**2

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return 1.0 + np.log(self.scale)

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (-self.rate,)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        return -np.log(-natural_params[0])


class Gamma(ExponentialFamily):
    """The gamma distribution.

    Parameters
    ----------
    shape : the exponent of the density, plus 1
    scale : how wide it is
    validate_args : whether parameters and values are checked
    """

    support = Positive()
    arg_constraints: ClassVar[Constraints] = {"shape": Positive(), "scale": Positive()}

    def __init__(self, shape: Any, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.shape, self.scale = shape, scale
        super().__init__(0, validate_args)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return np.random.gamma(self.shape, 1.0, shape) * self.scale

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        value, a = self._checked(value), self.shape
        return (a - 1) * np.log(value) - value / self.scale - a * np.log(self.scale) - log_gamma(a)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.shape * self.scale

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.shape * self.scale**2

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        a = self.shape
        return a + np.log(self.scale) + log_gamma(a) + (1 - a) * psi(a)

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return self.shape - 1, -1 / self.scale

    def _log_normalizer(self, *natural_params: Any) -> Any:
        x, y = natural_params
        return log_gamma(x + 1) + (x + 1) * np.log(-1 / y)


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers.

    Parameters
    ----------
    df : the degrees of freedom
    validate_args : whether parameters and values are checked
    """

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(df / 2, 2, validate_args)

    @property
    def df(self) -> Any:
        """The degrees of freedom."""
        return self.shape * 2


class Beta(ExponentialFamily):
    """The beta distribution, of numbers between 0 and 1.

    Parameters
    ----------
    alpha, beta : the exponents of ``x`` and of ``1 - x`` in the density, plus 1
    validate_args : whether parameters and values are checked
    """

    support = UnitInterval()
    arg_constraints: ClassVar[Constraints] = {"alpha": Positive(), "beta": Positive()}

    def __init__(self, alpha: Any, beta: Any, validate_args: bool | None = None) -> None:
        self.alpha, self.beta = alpha, beta
        super().__init__(0, validate_args)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        first = np.random.gamma(self.alpha, 1.0, shape)
        return clipped(first / (first + np.random.gamma(self.beta, 1.0, shape)))

    def _log_normal(self) -> Any:
        """The logarithm of the beta function."""
        return log_gamma(self.alpha) + log_gamma(self.beta) - log_gamma(self.alpha + self.beta)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        value = self._checked(value)
        powers = (self.alpha - 1) * np.log(value) + (self.beta - 1) * np.log1p(-value)
        return powers - self._log_normal()

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self) -> Any:
        """The variance."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total**2 * (total + 1))

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        a, b = self.alpha, self.beta
        return self._log_normal() - (a - 1) * psi(a) - (b - 1) * psi(b) + (a + b - 2) * psi(a + b)


class FisherSnedecor(Distribution):
    """The F distribution: the ratio of two mean squares.

    Parameters
    ----------
    df1, df2 : the degrees of freedom of numerator and denominator
    validate_args : whether parameters and values are checked
    """

    support = Positive()
    arg_constraints: ClassVar[Constraints] = {"df1": Positive(), "df2": Positive()}

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = df1, df2
        super().__init__(0, validate_args)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        first, second = (Gamma(0.5 * df, 2 / df)._draw(shape) for df in (self.df1, self.df2))
        return first / second

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        value, a, b, ratio = self._checked(value), self.df1 / 2, self.df2 / 2, self.df1 / self.df2
        factor = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * np.log(ratio)
        return factor + (a - 1) * np.log(value) - (a + b) * np.log1p(ratio * value)

    @property
    def mean(self) -> Any:
        """The mean; NaN with two degrees of freedom or fewer below."""
        return _where(self.df2 > 2, self.df2 / (self.df2 - 2), math.nan)

    @property
    def variance(self) -> Any:
        """The variance; NaN with four degrees of freedom or fewer below."""
        a, b = self.df1, self.df2
        return _where(b > 4, 2 * b**2 * (a + b - 2) / (a * (b - 2) ** 2 * (b - 4)), math.nan)


class StudentT(_Located):
    """Student's t distribution.

    Parameters
    ----------
    df : the degrees of freedom
    loc, scale : where it is, and how wide
    validate_args : whether parameters and values are checked
    """

    has_grad = False
    arg_constraints: ClassVar[Constraints] = {"df": Positive(), "loc": Real(), "scale": Positive()}

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self.df = df
        super().__init__(loc, scale, validate_args)

    def _standard(self, shape: tuple[int, ...]) -> Any:
        return np.random.normal(0.0, 1.0, shape) * np.sqrt(self.df / Chi2(self.df)._draw(shape))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        apart, half = self._apart(value), (self.df + 1) / 2
        factor = log_gamma(half) - log_gamma(self.df / 2) - 0.5 * np.log(self.df * math.pi)
        return factor - np.log(self.scale) - half * np.log1p(apart * apart / self.df)

    @property
    def mean(self) -> Any:
        """The mean; NaN with one degree of freedom or fewer."""
        return _where(self.df > 1, self.loc, math.nan)

    @property
    def variance(self) -> Any:
        """The variance; infinite with two degrees of freedom or fewer, NaN with one or fewer."""
        finite = _where(self.df > 2, self.scale**2 * self.df / (self.df - 2), math.inf)
        return _where(self.df > 1, finite, math.nan)

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        half = (self.df + 1) / 2
        beta = log_gamma(self.df / 2) + 0.5 * math.log(math.pi) - log_gamma(half)
        spread = half * (psi(half) - psi(self.df / 2)) + 0.5 * np.log(self.df)
        return np.log(self.scale) + spread + beta


def _where(condition: Any, value: Any, otherwise: float) -> Any:
    """`np.where`, for numbers and arrays."""
    if isinstance(condition, bool):
        return value if condition else otherwise
    like = value if hasattr(value, "shape") else np.full_like(condition.astype("float32"), value)
    return np.where(condition, like, np.full_like(like, otherwise))
