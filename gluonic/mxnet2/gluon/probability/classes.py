"""Distributions over classes, whose probabilities lie along the last axis."""

from typing import Any, ClassVar

from gluonic.graph.arithmetic import is_number
from gluonic.graph.errors import CallError, describe
from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2 import numpy_extension as npx
from gluonic.mxnet2.gluon.probability.constraint import (
    Constraint,
    IntegerHalfOpenInterval,
    IntegerInterval,
    Real,
    Simplex,
    dependent_property,
)
from gluonic.mxnet2.gluon.probability.discrete import OfProbability
from gluonic.mxnet2.gluon.probability.special import log_gamma

__all__ = ["Categorical", "Multinomial", "OneHotCategorical"]

Constraints = dict[str, Constraint]


class OfClasses(OfProbability):
    """A distribution over classes, whose probabilities lie along the last axis.

    Parameters
    ----------
    num_events : the number of classes
    prob, logit : the probabilities, or their logarithms up to a constant
    event_dim : see `Distribution`
    validate_args : whether parameters and values are checked
    """

    arg_constraints: ClassVar[Constraints] = {"prob": Simplex(), "logit": Real()}
    is_binary = False

    def __init__(
        self,
        num_events: int,
        prob: Any = None,
        logit: Any = None,
        event_dim: int = 0,
        validate_args: bool | None = None,
    ) -> None:
        if num_events <= 0:
            raise CallError(
                describe(
                    f"num_events must be greater than zero, not {num_events}",
                    where=type(self).__name__,
                )
            )
        self.num_events, self._of_prob = int(num_events), prob is not None
        super().__init__(prob, logit, event_dim, validate_args)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The shape of the parameters, without the axis of the classes."""
        shape: tuple[int, ...] = getattr(self, self._given()[0]).shape
        return shape[:-1]

    def _event_of(self, value: Any) -> tuple[int, ...]:
        shape: tuple[int, ...] = value.shape
        return shape[-1:]

    def _log_probabilities(self) -> Any:
        """The logarithms of the probabilities."""
        return np.log(self.prob) if self._of_prob else npx.log_softmax(self.logit, axis=-1)

    def _classes(self, shape: tuple[int, ...]) -> Any:
        """Classes, drawn by adding noise to the logits."""
        logits = np.broadcast_to(self.logit, (*shape, self.num_events))
        noise = np.random.gumbel(0.0, 1.0, (*shape, self.num_events))
        return np.argmax(logits + noise, axis=-1)


class Categorical(OfClasses):
    """The number of a class, from 0.

    Parameters
    ----------
    num_events : the number of classes
    prob, logit : the probabilities along the last axis, or their logarithms up to a constant
    validate_args : whether parameters and values are checked
    """

    has_enumerate_support = True

    def __init__(
        self,
        num_events: int,
        prob: Any = None,
        logit: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(num_events, prob, logit, 0, validate_args)

    @dependent_property
    def support(self) -> Any:
        """The numbers of the classes."""
        return IntegerHalfOpenInterval(0, self.num_events)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return self._classes(shape)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the probability of each class."""
        chosen = npx.one_hot(self._checked(value), self.num_events)
        logarithms = self._log_probabilities() + np.zeros_like(chosen)
        return np.sum(np.where(chosen > 0, logarithms, np.zeros_like(logarithms)), axis=-1)

    def enumerate_support(self) -> Any:
        """Return the numbers of all classes, along a new first axis."""
        shape = (self.num_events, *[1] * len(self.batch_shape))
        numbers = np.arange(self.num_events).reshape(shape)
        return np.broadcast_to(numbers, (self.num_events, *self.batch_shape))

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return -np.sum(self.prob * self._log_probabilities(), axis=-1)


class OneHotCategorical(OfClasses):
    """A class, as a row of zeros with a one.

    Parameters
    ----------
    num_events : the number of classes
    prob, logit : the probabilities along the last axis, or their logarithms up to a constant
    validate_args : whether parameters and values are checked
    """

    support = Simplex()
    has_enumerate_support = True

    def __init__(
        self,
        num_events: int,
        prob: Any = None,
        logit: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(num_events, prob, logit, 1, validate_args)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return npx.one_hot(self._classes(shape), self.num_events)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the probability of each class."""
        return np.sum(self._checked(value) * self._log_probabilities(), axis=-1)

    @property
    def mean(self) -> Any:
        """The probabilities."""
        return self.prob

    @property
    def variance(self) -> Any:
        """The variances of the elements."""
        return self.prob * (1 - self.prob)

    def enumerate_support(self) -> Any:
        """Return all classes, along a new first axis."""
        classes = np.arange(self.num_events).reshape((-1, *[1] * len(self.batch_shape)))
        full = np.broadcast_to(classes, (self.num_events, *self.batch_shape))
        return npx.one_hot(full, self.num_events)

    def entropy(self) -> Any:
        """Return the entropy in nats."""
        return -np.sum(self.prob * self._log_probabilities(), axis=-1)


class Multinomial(OfClasses):
    """How often each class is drawn.

    Parameters
    ----------
    num_events : the number of classes
    prob, logit : the probabilities along the last axis, or their logarithms up to a constant
    total_count : how many classes are drawn
    validate_args : whether parameters and values are checked
    """

    def __init__(
        self,
        num_events: int,
        prob: Any = None,
        logit: Any = None,
        total_count: int = 1,
        validate_args: bool | None = None,
    ) -> None:
        if not is_number(total_count):
            raise CallError(
                describe(f"total_count is a number, not {total_count!r}", where="Multinomial")
            )
        self.total_count = total_count
        super().__init__(num_events, prob, logit, 1, validate_args)

    @dependent_property
    def support(self) -> Any:
        """The whole numbers up to `total_count`."""
        return IntegerInterval(0, self.total_count)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        classes = self._classes((self.total_count, *shape))
        return np.sum(npx.one_hot(classes, self.num_events), axis=0)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the probability of counts."""
        value = self._checked(value)
        ways = log_gamma(np.sum(value, axis=-1) + 1) - np.sum(log_gamma(value + 1), axis=-1)
        return ways + np.sum(self._log_probabilities() * value, axis=-1)

    @property
    def mean(self) -> Any:
        """The mean counts."""
        return self.prob * self.total_count

    @property
    def variance(self) -> Any:
        """The variances of the counts."""
        return self.total_count * self.prob * (1 - self.prob)
