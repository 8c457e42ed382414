"""Optimizers with a separate step size for every weight."""

import math
from types import SimpleNamespace
from typing import Any, ClassVar

from gluonic.graph import updates
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.ndarray.array import NDArray
from gluonic.optimizer.base import RuleOptimizer, register

__all__ = [
    "FTML",
    "AdaDelta",
    "AdaGrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Ftrl",
    "Nadam",
    "RMSProp",
]


class TwoMoments(RuleOptimizer):
    """An optimizer with decaying averages of the gradient and of its magnitude."""

    state_count = 2
    settings: ClassVar[tuple[str, ...]] = ("beta1", "beta2", "epsilon")

    def __init__(
        self, learning_rate: float | None, beta1: float, beta2: float, **kwargs: Any
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2 = beta1, beta2

    def _corrected(self, t: int) -> float:
        """Return the factor that corrects the bias of averages initialized to zero."""
        try:
            return math.sqrt(1.0 - self.beta2**t) / (1.0 - self.beta1**t)
        except (ArithmeticError, ValueError) as error:
            what = f"beta1={self.beta1} and beta2={self.beta2} must be less than 1"
            raise AttributeValueError(describe(what, where=type(self).__name__)) from error


@register
class Adam(TwoMoments):
    """Adam (Kingma and Ba, 2015).

    Parameters
    ----------
    learning_rate : the bound on the size of steps, roughly
    beta1, beta2 : decay rates of the running averages of the gradient and of its square
    epsilon : added to the root of the square
    lazy_update : whether to skip the rows that a row_sparse gradient does not store
    kwargs : see `Optimizer`
    """

    rule = staticmethod(updates.adam)

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        lazy_update: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)
        self.epsilon = epsilon
        self.lazy_update = lazy_update

    def _is_lazy(self, weight: NDArray) -> bool:
        return self.lazy_update

    def _adjust(self, n: SimpleNamespace, t: int) -> None:
        n.lr *= self._corrected(t)


@register
class AdamW(TwoMoments):
    """Adam with decoupled weight decay (Loshchilov and Hutter, 2019).

    Parameters
    ----------
    learning_rate : scales steps and weight decay
    beta1, beta2 : decay rates of the running averages of the gradient and of its square
    epsilon : added to the root of the square
    correct_bias : correct the bias of averages initialized to zero
    kwargs : see `Optimizer`
    """

    rule = staticmethod(updates.adamw)

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        correct_bias: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)
        self.epsilon = epsilon
        self.correct_bias = correct_bias

    def _adjust(self, n: SimpleNamespace, t: int) -> None:
        n.eta, n.lr = n.lr, self._corrected(t) if self.correct_bias else 1.0


@register
class Adamax(TwoMoments):
    """Adam with a decaying maximum in place of the average square (Kingma and Ba, 2015).

    Parameters
    ----------
    learning_rate : the bound on the size of steps
    beta1, beta2 : decay rates of the running average and of the maximum
    kwargs : see `Optimizer`
    """

    rule = staticmethod(updates.adamax)
    epsilon = 0.0
    settings = ("beta1", "beta2")

    def __init__(
        self,
        learning_rate: float | None = 0.002,
        beta1: float = 0.9,
        beta2: float = 0.999,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)

    def _adjust(self, n: SimpleNamespace, t: int) -> None:
        n.lr /= 1.0 - self.beta1**t


@register
class Nadam(TwoMoments):
    """Adam with Nesterov momentum (Dozat, 2016).

    Parameters
    ----------
    learning_rate : the bound on the size of steps, roughly
    beta1, beta2 : decay rates of the running averages of the gradient and of its square
    epsilon : added to the root of the square
    schedule_decay : rate at which the momentum grows to `beta1`
    kwargs : see `Optimizer`

    Notes
    -----
    As in MXNet, the momentum schedule advances with every parameter's update, not once per step.
    """

    rule = staticmethod(updates.nadam)
    numbers_advance = True

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        schedule_decay: float = 0.004,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate, beta1, beta2, **kwargs)
        self.epsilon = epsilon
        self.schedule_decay = schedule_decay
        self.m_schedule = 1.0

    def _adjust(self, n: SimpleNamespace, t: int) -> None:
        n.momentum, n.next_momentum = (
            self.beta1 * (1.0 - 0.5 * 0.96 ** (i * self.schedule_decay)) for i in (t, t + 1)
        )
        self.m_schedule *= n.momentum
        n.schedule, n.bias2 = self.m_schedule, 1.0 - self.beta2**t


@register
class AdaGrad(RuleOptimizer):
    """Steps divided by the root of the sum of all squared gradients (Duchi et al., 2011).

    Parameters
    ----------
    eps : added to the sum
    kwargs : see `Optimizer`
    """

    rule = staticmethod(updates.ada_grad)
    state_count = 1

    def __init__(self, eps: float = 1e-7, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.float_stable_eps = eps

    def _adjust(self, n: SimpleNamespace, t: int) -> None:
        n.epsilon = self.float_stable_eps

    def _is_lazy(self, weight: NDArray) -> bool:
        return True

    def _update_stored(self, numbers: SimpleNamespace, weight: Any, grad: Any, states: Any) -> None:
        if grad.stype == "row_sparse" and numbers.wd != 0:
            raise AttributeValueError(
                "AdaGrad: there is no weight decay for row_sparse gradients; set wd=0"
            )
        super()._update_stored(numbers, weight, grad, states)


@register
class AdaDelta(RuleOptimizer):
    """Steps scaled by the ratio of averaged steps and averaged gradients (Zeiler, 2012).

    Parameters
    ----------
    rho : decay rate of both running averages
    epsilon : added to both
    kwargs : see `Optimizer`; the learning rate has no effect
    """

    rule = staticmethod(updates.ada_delta)
    state_count = 2
    settings = ("rho", "epsilon")

    def __init__(self, rho: float = 0.9, epsilon: float = 1e-5, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.rho, self.epsilon = rho, epsilon


@register
class RMSProp(RuleOptimizer):
    """Steps divided by the root of the averaged squared gradient (Tieleman and Hinton, 2012).

    Parameters
    ----------
    learning_rate : scales steps
    gamma1 : decay rates of the running averages
    gamma2 : the momentum, if `centered`
    epsilon : added under the root
    centered : use the variance instead of the average square (Graves, 2013)
    clip_weights : the bound on the absolute value of weights; None for none
    kwargs : see `Optimizer`
    """

    settings = ("gamma1", "gamma2", "epsilon")

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        gamma1: float = 0.9,
        gamma2: float = 0.9,
        epsilon: float = 1e-8,
        centered: bool = False,
        clip_weights: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.gamma1, self.gamma2, self.epsilon = gamma1, gamma2, epsilon
        self.centered, self.clip_weights = centered, clip_weights

    @property
    def rule(self) -> Any:  # type: ignore[override]
        """The plain or the centered rule."""
        return updates.rms_prop_centered if self.centered else updates.rms_prop

    @property
    def state_count(self) -> int:  # type: ignore[override]
        """One array, or three if centered."""
        return 3 if self.centered else 1

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return a tuple of zeros."""
        state = super().create_state(index, weight)
        return state if self.centered else (state,)

    def _adjust(self, n: SimpleNamespace, t: int) -> None:
        n.clip_weights = self.clip_weights or None


@register
class Ftrl(RuleOptimizer):
    """Follow the regularized leader, which makes weights exactly zero (McMahan et al., 2013).

    Parameters
    ----------
    lamda1 : strength of the L1 penalty
    learning_rate : scales steps
    beta : damps the first steps
    kwargs : see `Optimizer`
    """

    rule = staticmethod(updates.ftrl)
    state_count = 2
    settings = ("lamda1", "beta")

    def __init__(
        self,
        lamda1: float = 0.01,
        learning_rate: float | None = 0.1,
        beta: float = 1,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.lamda1, self.beta = lamda1, beta

    def _is_lazy(self, weight: NDArray) -> bool:
        return weight.stype == "row_sparse"


@register
class FTML(RuleOptimizer):
    """Follow the moving leader (Zheng and Kwok, 2017).

    Parameters
    ----------
    beta1, beta2 : decay rates of the running averages
    epsilon : added to the root of the averaged square
    kwargs : see `Optimizer`
    """

    rule = staticmethod(updates.ftml)
    state_count = 3
    settings = ("beta1", "beta2", "epsilon")

    def __init__(
        self, beta1: float = 0.6, beta2: float = 0.999, epsilon: float = 1e-8, **kwargs: Any
    ) -> None:
        super().__init__(**kwargs)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon

    def _adjust(self, n: SimpleNamespace, t: int) -> None:
        n.bias1, n.bias2 = 1.0 - self.beta1**t, 1.0 - self.beta2**t
