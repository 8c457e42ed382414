"""Distributions of transformed numbers."""

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2.gluon.probability.constraint import (
    Constraint,
    GreaterThan,
    Positive,
    dependent_property,
)
from gluonic.mxnet2.gluon.probability.continuous import Cauchy, Exponential, Normal
from gluonic.mxnet2.gluon.probability.distribution import Distribution
from gluonic.mxnet2.gluon.probability.special import log_gamma, sum_right_most
from gluonic.mxnet2.gluon.probability.transformation import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    Transformation,
)

__all__ = ["HalfCauchy", "HalfNormal", "Pareto", "TransformedDistribution", "Weibull"]

_EULER = 0.5772156649015329
Constraints = dict[str, Constraint]


class TransformedDistribution(Distribution):
    """The distribution of transformed samples.

    Parameters
    ----------
    base_dist : the distribution of the samples
    transforms : a transformation, or several one after the other
    validate_args : whether parameters and values are checked
    """

    def __init__(
        self,
        base_dist: Distribution,
        transforms: Transformation | Sequence[Transformation],
        validate_args: bool | None = None,
    ) -> None:
        self._base_dist = base_dist
        self._transforms = [transforms] if isinstance(transforms, Transformation) else [*transforms]
        dims = [base_dist.event_dim or 0, *(t.event_dim for t in self._transforms)]
        super().__init__(max(dims), validate_args)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the parameters, without the axes of an event."""
        return self._base_dist.batch_shape

    def broadcast_to(self, batch_shape: Any) -> Any:
        """Return the distribution with parameters that are repeated to fill a shape."""
        if type(self) is not TransformedDistribution:
            return super().broadcast_to(batch_shape)
        return type(self)(self._base_dist.broadcast_to(batch_shape), self._transforms)

    def _transformed(self, x: Any) -> Any:
        for transform in self._transforms:
            x = transform(x)
        return x

    def sample(self, size: Any = None) -> Any:
        """Return samples; see `Distribution.sample`."""
        return self._transformed(self._base_dist.sample(size))

    def sample_n(self, size: Any = None) -> Any:
        """Return samples of the shape `size`, followed by that of the parameters."""
        return self._transformed(self._base_dist.sample_n(size))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        total: Any = 0.0
        value = self._checked(value) if self.support is not None else value
        for transform in reversed(self._transforms):
            before = transform.inv(value)
            change = transform.log_det_jacobian(before, value)
            total = total - sum_right_most(change, (self.event_dim or 0) - transform.event_dim)
            value = before
        rest = (self.event_dim or 0) - (self._base_dist.event_dim or 0)
        return total + sum_right_most(self._base_dist.log_prob(value), rest)

    def _direction(self) -> Any:
        sign: Any = 1
        for transform in self._transforms:
            sign = sign * transform.sign
        return sign

    def cdf(self, value: Any) -> Any:
        """Return the probability of smaller samples."""
        for transform in reversed(self._transforms):
            value = transform.inv(value)
        return self._direction() * (self._base_dist.cdf(value) - 0.5) + 0.5

    def icdf(self, value: Any) -> Any:
        """Return the value with a given `cdf`."""
        return self._transformed(self._base_dist.icdf(self._direction() * (value - 0.5) + 0.5))


class _Half(TransformedDistribution):
    """The absolute values of a distribution that is symmetric about 0."""

    has_grad = True
    support = Positive()
    arg_constraints: ClassVar[Constraints] = {"scale": Positive()}
    _whole: ClassVar[Any]

    def __init__(self, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.scale = scale
        super().__init__(self._whole(0.0, scale), AbsTransform(), validate_args)

    def broadcast_to(self, batch_shape: Any) -> Any:
        """Return the distribution with parameters that are repeated to fill a shape."""
        return type(self)(self._base_dist.broadcast_to(batch_shape).scale)  # type: ignore[attr-defined]

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density; minus infinity below 0."""
        found = self._base_dist.log_prob(self._checked(value)) + math.log(2)
        return np.where(value < 0, np.full_like(found, -math.inf), found)

    def cdf(self, value: Any) -> Any:
        """Return the probability of smaller samples."""
        return 2 * self._base_dist.cdf(value) - 1

    def icdf(self, value: Any) -> Any:
        """Return the value with a given `cdf`."""
        return self._base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return self._base_dist.entropy() - math.log(2)


class HalfNormal(_Half):
    """The absolute values of normal numbers with mean 0.

    Parameters
    ----------
    scale : their standard deviation
    validate_args : whether parameters and values are checked
    """

    _whole = Normal

    @property
    def loc(self) -> Any:
        """0, the mean of the normal numbers."""
        return self._base_dist.mean

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.scale**2 * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """The absolute values of Cauchy's numbers, which have neither a mean nor a variance.

    Parameters
    ----------
    scale : how wide it is
    validate_args : whether parameters and values are checked
    """

    _whole = Cauchy

    @property
    def mean(self) -> Any:
        """Infinity."""
        return math.inf

    @property
    def variance(self) -> Any:
        """Infinity."""
        return math.inf


class Pareto(TransformedDistribution):
    """The Pareto distribution, of numbers above a least one.

    Parameters
    ----------
    alpha : the exponent: how fast probabilities fall
    scale : the least number
    validate_args : whether parameters and values are checked
    """

    has_grad = True
    arg_constraints: ClassVar[Constraints] = {"scale": Positive(), "alpha": Positive()}

    def __init__(self, alpha: Any, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.alpha, self.scale = alpha, scale
        steps = [ExpTransform(), AffineTransform(0, scale)]
        super().__init__(Exponential(1 / alpha), steps, validate_args)

    @dependent_property
    def support(self) -> Any:
        """The numbers above the least one."""
        return GreaterThan(self.scale)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the parameters."""
        return Distribution.batch_shape.__get__(self)  # type: ignore[no-any-return]

    def sample_n(self, size: Any = None) -> Any:
        """Return samples of the shape `size`, followed by that of the parameters."""
        return _drawn_n(self, size)

    def broadcast_to(self, batch_shape: Any) -> Any:
        """Return the distribution with parameters that are repeated to fill a shape."""
        return type(self)(_wide(self.alpha, batch_shape), _wide(self.scale, batch_shape))

    @property
    def mean(self) -> Any:
        """The mean; infinite for exponents of 1 and below."""
        excess = np.maximum(self.alpha - 1, 0)
        return self.alpha * self.scale / excess

    @property
    def variance(self) -> Any:
        """The variance; infinite for exponents of 2 and below."""
        excess = np.maximum(self.alpha - 2, 0)
        return self.scale**2 * self.alpha / ((self.alpha - 1) ** 2 * excess)

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return np.log(self.scale / self.alpha) + 1 / self.alpha + 1


class Weibull(TransformedDistribution):
    """The Weibull distribution: times to a failure.

    Parameters
    ----------
    concentration : the exponent: above 1, failures become more likely with time
    scale : how wide it is
    validate_args : whether parameters and values are checked
    """

    has_grad = True
    support = Positive()
    arg_constraints: ClassVar[Constraints] = {"scale": Positive(), "concentration": Positive()}

    def __init__(
        self, concentration: Any, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self.concentration, self.scale = concentration, scale
        steps = [PowerTransform(1 / concentration), AffineTransform(0, scale)]
        super().__init__(Exponential(), steps, validate_args)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the parameters."""
        return Distribution.batch_shape.__get__(self)  # type: ignore[no-any-return]

    def sample(self, size: Any = None) -> Any:
        """Return samples; see `Distribution.sample`."""
        return super().sample(self.batch_shape if size is None else size)

    def sample_n(self, size: Any = None) -> Any:
        """Return samples of the shape `size`, followed by that of the parameters."""
        return _drawn_n(self, size)

    def broadcast_to(self, batch_shape: Any) -> Any:
        """Return the distribution with parameters that are repeated to fill a shape."""
        return type(self)(_wide(self.concentration, batch_shape), _wide(self.scale, batch_shape))

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.scale * np.exp(log_gamma(1 + 1 / self.concentration))

    @property
    def variance(self) -> Any:
        """The variance."""
        second = np.exp(log_gamma(1 + 2 / self.concentration))
        return self.scale**2 * (second - np.exp(2 * log_gamma(1 + 1 / self.concentration)))

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        k = self.concentration
        return _EULER * (1 - 1 / k) + np.log(self.scale / k) + 1


def _drawn_n(distribution: Any, size: Any) -> Any:
    """Samples of the shape `size`, followed by that of a distribution's parameters."""
    more = () if size is None else (size,) if isinstance(size, int) else tuple(size)
    return distribution.sample((*more, *distribution.batch_shape))


def _wide(value: Any, shape: Any) -> Any:
    return np.broadcast_to(value if hasattr(value, "shape") else np.full((), value), shape)
