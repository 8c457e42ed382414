"""Distributions of real numbers."""

import math
from typing import Any, ClassVar

from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2.gluon.probability.constraint import (
    Constraint,
    Interval,
    Positive,
    Real,
    dependent_property,
)
from gluonic.mxnet2.gluon.probability.distribution import Distribution, ExponentialFamily
from gluonic.mxnet2.gluon.probability.special import (
    cached_property,
    error_function,
    inverse_error_function,
)

__all__ = ["Cauchy", "Exponential", "Gumbel", "Laplace", "Normal", "Uniform"]

_EULER = 0.5772156649015329
Constraints = dict[str, Constraint]


class Located(Distribution):
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


class NormalDistribution(Located, ExponentialFamily):
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


class Laplace(Located):
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


class Cauchy(Located):
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


class Gumbel(Located):
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


class UniformDistribution(Distribution):
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


Normal = NormalDistribution
Uniform = UniformDistribution
NormalDistribution.__name__ = NormalDistribution.__qualname__ = "Normal"
UniformDistribution.__name__ = UniformDistribution.__qualname__ = "Uniform"
