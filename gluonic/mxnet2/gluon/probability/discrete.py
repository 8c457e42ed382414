"""Distributions of whole numbers."""

from typing import Any, ClassVar

from gluonic.graph.arithmetic import is_number
from gluonic.graph.errors import CallError, describe
from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2 import numpy_extension as npx
from gluonic.mxnet2.gluon.probability.constraint import (
    Boolean,
    Constraint,
    GreaterThanEq,
    IntegerInterval,
    Interval,
    NonNegativeInteger,
    Positive,
    Real,
    dependent_property,
)
from gluonic.mxnet2.gluon.probability.distribution import Distribution, ExponentialFamily
from gluonic.mxnet2.gluon.probability.gammas import Gamma
from gluonic.mxnet2.gluon.probability.special import (
    cached_property,
    log_gamma,
    logit2prob,
    prob2logit,
    softplus,
)

__all__ = ["Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson"]

Constraints = dict[str, Constraint]


class OfProbability(Distribution):
    """A distribution whose parameter is a probability, or its logit.

    Parameters
    ----------
    prob, logit : one of the two
    event_dim : see `Distribution`
    validate_args : whether parameters and values are checked
    """

    arg_constraints: ClassVar[Constraints] = {"prob": Interval(0, 1), "logit": Real()}
    is_binary = True

    def __init__(
        self, prob: Any, logit: Any, event_dim: int = 0, validate_args: bool | None = None
    ) -> None:
        if (prob is None) == (logit is None):
            raise CallError(
                describe(
                    f"give either prob or logit, not {'neither' if prob is None else 'both'}",
                    where=type(self).__name__,
                )
            )
        if prob is not None:
            self.prob = prob
        else:
            self.logit = logit
        super().__init__(event_dim, validate_args)

    @cached_property
    def prob(self) -> Any:
        """The probability."""
        return logit2prob(self.logit, self.is_binary)

    @cached_property
    def logit(self) -> Any:
        """The logit of the probability."""
        return prob2logit(self.prob, self.is_binary)

    def _given(self) -> list[str]:
        names = super()._given()
        computed = "logit" if self.__dict__.get("_of_prob", "prob" in self.__dict__) else "prob"
        return [name for name in names if name != computed]


class Bernoulli(OfProbability, ExponentialFamily):
    """0 or 1.

    Parameters
    ----------
    prob, logit : the probability of 1, or its logit
    validate_args : whether parameters and values are checked
    """

    support = Boolean()

    def __init__(
        self, prob: Any = None, logit: Any = None, validate_args: bool | None = None
    ) -> None:
        self._of_prob = prob is not None
        super().__init__(prob, logit, 0, validate_args)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return npx.random.bernoulli(np.broadcast_to(_array(self.prob), shape))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the probability."""
        value = self._checked(value)
        return self.logit * value - softplus(self.logit)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.prob

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.prob * (1 - self.prob)

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return softplus(self.logit) - self.logit * self.prob

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (self.logit,)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        return softplus(natural_params[0])


class Binomial(OfProbability):
    """How many of `n` independent trials succeed.

    Parameters
    ----------
    n : how many there are
    prob, logit : the probability of success, or its logit
    validate_args : whether parameters and values are checked
    """

    def __init__(
        self, n: int = 1, prob: Any = None, logit: Any = None, validate_args: bool | None = None
    ) -> None:
        if n < 0 or n % 1 != 0:
            raise CallError(
                describe(f"n must be a whole number, not negative; it is {n!r}", where="Binomial")
            )
        self.n, self._of_prob = n, prob is not None
        super().__init__(prob, logit, 0, validate_args)

    @dependent_property
    def support(self) -> Any:
        """The whole numbers up to `n`."""
        return IntegerInterval(0, self.n)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        probability = np.broadcast_to(_array(self.prob), shape)
        repeated = np.broadcast_to(np.expand_dims(probability, -1), (*shape, int(self.n)))
        return np.sum(npx.random.bernoulli(repeated), axis=-1)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the probability."""
        value = self._checked(value)
        ways = log_gamma(self.n + 1) - log_gamma(value + 1) - log_gamma(self.n - value + 1)
        return ways + value * np.log(self.prob) + (self.n - value) * np.log1p(-self.prob)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.n * self.prob

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.n * self.prob * (1 - self.prob)


class Geometric(OfProbability):
    """How many trials fail before the first success.

    Parameters
    ----------
    prob, logit : the probability of success, or its logit
    validate_args : whether parameters and values are checked
    """

    support = NonNegativeInteger()

    def __init__(
        self, prob: Any = None, logit: Any = None, validate_args: bool | None = None
    ) -> None:
        self._of_prob = prob is not None
        super().__init__(prob, logit, 0, validate_args)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        drawn = np.random.uniform(0.0, 1.0, shape)
        return np.floor(np.log1p(-drawn) / np.log1p(-self.prob))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the probability."""
        return self._checked(value) * np.log1p(-self.prob) + np.log(self.prob)

    @property
    def mean(self) -> Any:
        """The mean."""
        return 1 / self.prob - 1

    @property
    def variance(self) -> Any:
        """The variance."""
        return (1 / self.prob - 1) / self.prob

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        p = self.prob
        return -((1 - p) * np.log1p(-p) + p * np.log(p)) / p


class NegativeBinomial(OfProbability):
    """How many trials fail before the `n`-th success.

    Parameters
    ----------
    n : the number of successes, which need not be whole
    prob, logit : the probability of success, or its logit
    validate_args : whether parameters and values are checked
    """

    support = NonNegativeInteger()
    arg_constraints: ClassVar[Constraints] = {
        "n": GreaterThanEq(0),
        "prob": Interval(0, 1),
        "logit": Real(),
    }

    def __init__(
        self, n: Any, prob: Any = None, logit: Any = None, validate_args: bool | None = None
    ) -> None:
        self.n, self._of_prob = n, prob is not None
        super().__init__(prob, logit, 0, validate_args)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        rate = Gamma(self.n, (1 - self.prob) / self.prob)._draw(shape)
        return Poisson(rate)._draw(shape)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the probability."""
        value = self._checked(value)
        ways = log_gamma(value + self.n) - log_gamma(value + 1) - log_gamma(self.n)
        return ways + self.n * np.log(self.prob) + value * np.log1p(-self.prob)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.n * (1 - self.prob) / self.prob

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.n * (1 - self.prob) / self.prob**2


class Poisson(ExponentialFamily):
    """How many events there are in a time.

    Parameters
    ----------
    rate : the mean
    validate_args : whether parameters and values are checked
    """

    support = NonNegativeInteger()
    arg_constraints: ClassVar[Constraints] = {"rate": Positive()}

    def __init__(self, rate: Any = 1.0, validate_args: bool | None = None) -> None:
        self.rate = rate
        super().__init__(0, validate_args)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return npx.tensor_poisson(np.broadcast_to(_array(self.rate), shape))

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the probability."""
        value = self._checked(value)
        return value * np.log(self.rate) - self.rate - log_gamma(value + 1)

    @property
    def mean(self) -> Any:
        """The mean."""
        return self.rate

    @property
    def variance(self) -> Any:
        """The variance."""
        return self.rate

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        return (np.log(self.rate),)

    def _log_normalizer(self, *natural_params: Any) -> Any:
        return np.exp(natural_params[0])


def _array(value: Any) -> Any:
    return np.full((), value) if is_number(value) else value
