"""Distributions of gamma functions: of sums of squares, and their ratios."""

import math
from typing import Any, ClassVar

from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2.gluon.probability.constraint import Constraint, Positive, Real, UnitInterval
from gluonic.mxnet2.gluon.probability.continuous import Located
from gluonic.mxnet2.gluon.probability.distribution import Distribution, ExponentialFamily
from gluonic.mxnet2.gluon.probability.special import clipped, log_gamma, psi, where

__all__ = ["Beta", "Chi2", "FisherSnedecor", "Gamma", "StudentT"]

Constraints = dict[str, Constraint]


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
        return where(self.df2 > 2, self.df2 / (self.df2 - 2), math.nan)

    @property
    def variance(self) -> Any:
        """The variance; NaN with four degrees of freedom or fewer below."""
        a, b = self.df1, self.df2
        return where(b > 4, 2 * b**2 * (a + b - 2) / (a * (b - 2) ** 2 * (b - 4)), math.nan)


class StudentT(Located):
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
        return where(self.df > 1, self.loc, math.nan)

    @property
    def variance(self) -> Any:
        """The variance; infinite with two degrees of freedom or fewer, NaN with one or fewer."""
        finite = where(self.df > 2, self.scale**2 * self.df / (self.df - 2), math.inf)
        return where(self.df > 1, finite, math.nan)

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        half = (self.df + 1) / 2
        beta = log_gamma(self.df / 2) + 0.5 * math.log(math.pi) - log_gamma(half)
        spread = half * (psi(half) - psi(self.df / 2)) + 0.5 * np.log(self.df)
        return np.log(self.scale) + spread + beta
