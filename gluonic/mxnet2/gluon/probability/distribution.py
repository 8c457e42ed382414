"""The bases of distributions, and several independent numbers as one event."""

from typing import Any, ClassVar, Self

import numpy

from gluonic.graph.arithmetic import is_number
from gluonic.graph.errors import NotThereError, describe
from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2.gluon.probability.special import cached_property, sum_right_most

__all__ = ["Distribution", "ExponentialFamily", "Independent"]


class ProbabilityDistribution:
    """A probability distribution, whose parameters are numbers or arrays that are broadcast together.

    Parameters
    ----------
    event_dim : how many of the last axes of a sample are one event
    validate_args : whether parameters and values are checked; by default what `set_default_validate_args` says

    Attributes
    ----------
    has_grad : whether gradients flow through samples to the parameters
    support : the set of values
    arg_constraints : the sets that parameters are in, by name
    """

    has_grad: ClassVar[bool] = False
    has_enumerate_support: ClassVar[bool] = False
    support: Any = None
    arg_constraints: ClassVar[dict[str, Any]] = {}
    event_dim: int | None
    _validate_args = False

    def __init__(self, event_dim: int | None = None, validate_args: bool | None = None) -> None:
        self.event_dim = event_dim
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            for name in self._given():
                setattr(self, name, self.arg_constraints[name].check(getattr(self, name)))

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether distributions check their parameters, and values, by default."""
        if not isinstance(value, bool):
            raise ValueError(f"validate_args is True or False, not {value!r}")
        ProbabilityDistribution._validate_args = value

    def _given(self) -> list[str]:
        """The names of the parameters that were given, not computed from others."""
        return [name for name in self.arg_constraints if name in self.__dict__]

    def _validate_samples(self, value: Any) -> Any:
        return self.support.check(value)

    def _checked(self, value: Any) -> Any:
        """The value, which is in the support if that is to be checked."""
        return self._validate_samples(value) if self._validate_args else value

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the parameters, without the axes of an event."""
        shapes = [getattr(self, n).shape for n in self._given() if not is_number(getattr(self, n))]
        shape = numpy.broadcast_shapes(*shapes)
        return shape[: len(shape) - (self.event_dim or 0)]

    def _shape_of(self, size: Any) -> tuple[int, ...]:
        """The batch shape of samples: `size`, by default that of the parameters."""
        if size is None:
            return self.batch_shape
        return (size,) if isinstance(size, int) else tuple(size)

    def sample(self, size: Any = None) -> Any:
        """Return samples.

        Parameters
        ----------
        size : the shape of the samples, without the axes of an event; by default that of the parameters
        """
        return self._draw(self._shape_of(size))

    def sample_n(self, size: Any = None) -> Any:
        """Return samples of the shape `size`, followed by that of the parameters."""
        more = () if size is None else (size,) if isinstance(size, int) else tuple(size)
        return self._draw((*more, *self.batch_shape))

    def _draw(self, shape: tuple[int, ...]) -> Any:
        raise self._lacks("sample")

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the probability, or of its density, at a value."""
        raise self._lacks("log_prob")

    def pdf(self, value: Any) -> Any:
        """Return the probability, or its density, at a value."""
        return np.exp(self.log_prob(value))

    def cdf(self, value: Any) -> Any:
        """Return the probability of samples that are no greater than a value."""
        raise self._lacks("cdf")

    def icdf(self, value: Any) -> Any:
        """Return the value with a given `cdf`."""
        raise self._lacks("icdf")

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        raise self._lacks("entropy")

    def perplexity(self) -> Any:
        """Return the exponential of the entropy."""
        return np.exp(self.entropy())

    def enumerate_support(self) -> Any:
        """Return all values of a discrete distribution, along a new first axis."""
        raise self._lacks("enumerate_support")

    @property
    def mean(self) -> Any:
        """The mean."""
        raise self._lacks("mean")

    @property
    def variance(self) -> Any:
        """The variance."""
        raise self._lacks("variance")

    @property
    def stddev(self) -> Any:
        """The standard deviation."""
        return np.sqrt(self.variance)

    def _lacks(self, what: str) -> NotThereError:
        return NotThereError(describe(f"{what} is not known", where=type(self).__name__))

    def broadcast_to(self, batch_shape: Any) -> Self:
        """Return the distribution with parameters that are repeated to fill a shape."""
        made = type(self).__new__(type(self))
        computed = {n for n, v in vars(type(self)).items() if isinstance(v, cached_property)}
        given = self._given()
        made.__dict__.update(
            {n: v for n, v in vars(self).items() if n in given or n not in computed}
        )
        for name in given:
            value = getattr(self, name)
            event = () if is_number(value) else self._event_of(value)
            full = np.full((), value) if is_number(value) else value
            setattr(made, name, np.broadcast_to(full, (*batch_shape, *event)))
        return made

    def _event_of(self, value: Any) -> tuple[int, ...]:
        """The lengths of those axes of a parameter that belong to an event."""
        shape: tuple[int, ...] = value.shape
        return shape[len(shape) - (self.event_dim or 0) :]

    def __repr__(self) -> str:
        sizes = [f"{name}: size {self._size_of(name)}" for name in self._given()]
        return f"{type(self).__name__}({', '.join([*sizes, f'event_dim: {self.event_dim}'])})"

    def _size_of(self, name: str) -> tuple[int, ...]:
        value = getattr(self, name)
        return () if is_number(value) else value.shape


class ExponentialFamily(ProbabilityDistribution):
    """A distribution whose density is ``exp(<t(x), natural> - log_normalizer(natural) + carrier(x))``."""

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        raise self._lacks("_natural_params")

    def _log_normalizer(self, *natural_params: Any) -> Any:
        raise self._lacks("_log_normalizer")

    def _mean_carrier_measure(self, x: Any) -> Any:
        raise self._lacks("_mean_carrier_measure")


class Independent(ProbabilityDistribution):
    """Some axes of independent numbers as one event.

    Parameters
    ----------
    base_distribution : the distribution of the numbers
    reinterpreted_batch_ndims : how many of the last axes of its parameters are one event
    validate_args : whether values are checked
    """

    def __init__(
        self,
        base_distribution: ProbabilityDistribution,
        reinterpreted_batch_ndims: int,
        validate_args: bool | None = None,
    ) -> None:
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        event_dim = reinterpreted_batch_ndims + (base_distribution.event_dim or 0)
        super().__init__(event_dim, validate_args)

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """Whether all values can be listed."""
        return self.base_dist.has_enumerate_support

    @property
    def support(self) -> Any:
        """The set of values of the numbers."""
        return self.base_dist.support

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the parameters, without the axes of an event."""
        shape = self.base_dist.batch_shape
        return shape[: len(shape) - self.reinterpreted_batch_ndims]

    def broadcast_to(self, batch_shape: Any) -> "Independent":
        """Return the distribution with parameters that are repeated to fill a shape."""
        shape = self.base_dist.batch_shape
        event = shape[len(shape) - self.reinterpreted_batch_ndims :]
        wider = self.base_dist.broadcast_to((*batch_shape, *event))
        return type(self)(wider, self.reinterpreted_batch_ndims)

    def sample(self, size: Any = None) -> Any:
        """Return samples of the numbers."""
        return self.base_dist.sample(size)

    def sample_n(self, size: Any = None) -> Any:
        """Return samples of the shape `size`, followed by that of the parameters."""
        return self.base_dist.sample_n(size)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the probability of an event, or of its density."""
        return sum_right_most(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Any:
        """Return the entropy of an event in nats."""
        return sum_right_most(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    @property
    def mean(self) -> Any:
        """The means of the numbers."""
        return self.base_dist.mean

    @property
    def variance(self) -> Any:
        """The variances of the numbers."""
        return self.base_dist.variance

    def enumerate_support(self) -> Any:
        """Raise: the values of an event are too many to list, unless it is one number."""
        if self.reinterpreted_batch_ndims:
            raise NotThereError(
                describe(
                    "the values of an event of several numbers are not listed", where="Independent"
                )
            )
        return self.base_dist.enumerate_support()

    def __repr__(self) -> str:
        return f"Independent({self.base_dist!r}, {self.reinterpreted_batch_ndims})"


Distribution = ProbabilityDistribution
ProbabilityDistribution.__name__ = ProbabilityDistribution.__qualname__ = "Distribution"
