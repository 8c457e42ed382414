"""Continuous relaxations of discrete distributions, through whose samples gradients flow."""

from typing import Any, ClassVar

from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2 import numpy_extension as npx
from gluonic.mxnet2.gluon.probability.classes import OfClasses
from gluonic.mxnet2.gluon.probability.constraint import (
    Constraint,
    Interval,
    OpenInterval,
    Real,
    Simplex,
)
from gluonic.mxnet2.gluon.probability.discrete import OfProbability
from gluonic.mxnet2.gluon.probability.special import log_gamma, softplus
from gluonic.mxnet2.gluon.probability.transformation import ExpTransform, SigmoidTransform
from gluonic.mxnet2.gluon.probability.transformed import TransformedDistribution

__all__ = ["RelaxedBernoulli", "RelaxedOneHotCategorical"]

Constraints = dict[str, Constraint]


class _LogitRelaxed(OfProbability):
    """The logits of a `RelaxedBernoulli`."""

    has_grad = True
    support = Real()

    def __init__(self, T: Any, prob: Any, logit: Any) -> None:
        self.T, self._of_prob = T, prob is not None
        super().__init__(prob, logit)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        return (self.logit + np.random.logistic(0.0, 1.0, shape)) / self.T

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        apart = self.logit - self.T * value
        return np.log(self.T) + apart - 2 * softplus(apart)


class _LogRelaxed(OfClasses):
    """The logarithms of a `RelaxedOneHotCategorical`."""

    has_grad = True

    def __init__(self, T: Any, num_events: int, prob: Any, logit: Any) -> None:
        self.T = T
        super().__init__(num_events, prob, logit, 1)

    def _draw(self, shape: tuple[int, ...]) -> Any:
        noise = np.random.gumbel(0.0, 1.0, (*shape, self.num_events))
        return npx.log_softmax((self.logit + noise) / self.T, axis=-1)

    def log_prob(self, value: Any) -> Any:
        """Return the logarithm of the density."""
        count = self.num_events
        scores = npx.log_softmax(self.logit - value * self.T, axis=-1)
        return np.sum(scores, axis=-1) + log_gamma(count) + (count - 1) * np.log(self.T)


class _Relaxed(TransformedDistribution):
    """A continuous relaxation of a discrete distribution, with a temperature."""

    has_grad = True

    @property
    def T(self) -> Any:
        """The temperature."""
        return self._base_dist.T  # type: ignore[attr-defined]

    @property
    def prob(self) -> Any:
        """The probability."""
        return self._base_dist.prob  # type: ignore[attr-defined]

    @property
    def logit(self) -> Any:
        """The logit."""
        return self._base_dist.logit  # type: ignore[attr-defined]

    def broadcast_to(self, batch_shape: Any) -> Any:
        """Return the distribution with parameters that are repeated to fill a shape."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__, _base_dist=self._base_dist.broadcast_to(batch_shape))
        return made


class RelaxedBernoulli(_Relaxed):
    """Numbers between 0 and 1, the closer to these the lower the temperature.

    Parameters
    ----------
    T : the temperature
    prob, logit : the probability of 1, or its logit
    validate_args : whether parameters and values are checked
    """

    support = OpenInterval(0, 1)
    arg_constraints: ClassVar[Constraints] = {"prob": Interval(0, 1), "logit": Real()}

    def __init__(
        self, T: Any, prob: Any = None, logit: Any = None, validate_args: bool | None = None
    ) -> None:
        super().__init__(_LogitRelaxed(T, prob, logit), SigmoidTransform(), validate_args)


class RelaxedOneHotCategorical(_Relaxed):
    """Positive numbers that sum to 1, the closer to a row with one 1 the lower the temperature.

    Parameters
    ----------
    T : the temperature
    num_events : the number of classes
    prob, logit : the probabilities along the last axis, or their logarithms up to a constant
    validate_args : whether parameters and values are checked
    """

    support = Simplex()
    arg_constraints: ClassVar[Constraints] = {"prob": Simplex(), "logit": Real()}

    def __init__(
        self,
        T: Any,
        num_events: int,
        prob: Any = None,
        logit: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        super().__init__(_LogRelaxed(T, num_events, prob, logit), ExpTransform(), validate_args)
