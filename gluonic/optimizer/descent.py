"""Gradient descent, with or without momentum."""

import math
from typing import Any, ClassVar

from gluonic.graph import updates
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.random import normal
from gluonic.optimizer.base import RuleOptimizer, register, run_rule, zeros_like

__all__ = ["DCASGD", "NAG", "SGD", "SGLD", "Signum", "Test", "ccSGD"]


class _Momentum(RuleOptimizer):
    """An optimizer with one rule without momentum and another with it."""

    settings: ClassVar[tuple[str, ...]] = ("momentum",)
    rules = (updates.sgd, updates.sgd_momentum)

    def __init__(self, momentum: float = 0.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum = momentum

    @property
    def rule(self) -> Any:  # type: ignore[override]
        """The rule, with momentum or without."""
        return self.rules[self.momentum != 0.0]

    @property
    def state_count(self) -> int:  # type: ignore[override]
        """One array for the velocity, if there is momentum."""
        return int(self.momentum != 0.0)


@register
class SGD(_Momentum):
    """Stochastic gradient descent.

    With ``g = clip(rescale_grad · grad)``: ``w ← w - lr · (g + wd · w)``, or with momentum
    ``v ← momentum · v - lr · (g + wd · w); w ← w + v``.

    Parameters
    ----------
    momentum : factor on the previous update
    lazy_update : whether to skip the rows that a row_sparse gradient does not store
    kwargs : see `Optimizer`
    """

    _master_last = True
    lazy_update = True

    def __init__(self, momentum: float = 0.0, lazy_update: bool = True, **kwargs: Any) -> None:
        super().__init__(momentum, **kwargs)
        self.lazy_update = lazy_update

    def _is_lazy(self, weight: NDArray) -> bool:
        return self.lazy_update


@register
class ccSGD(SGD):
    """`SGD` under an old name."""


@register
class NAG(_Momentum):
    """Nesterov's accelerated gradient.

    With ``g = clip(rescale_grad · grad) + wd · w``:
    ``w ← w + momentum · (momentum · v - lr · g) - lr · g; v ← momentum · v - lr · g``, where the second
    ``g`` has the new ``w``.

    Parameters
    ----------
    momentum : factor on the previous update
    kwargs : see `Optimizer`
    """

    _master_last = True
    rules = (updates.sgd, updates.nag)


@register
class Signum(_Momentum):
    """Steps of equal size along the signs of the averaged gradient (Bernstein et al., 2018).

    Parameters
    ----------
    learning_rate : the size of the steps
    momentum : decay rate of the running average; 0 takes the signs of the gradient itself
    wd_lh : decoupled weight decay (Loshchilov and Hutter)
    kwargs : see `Optimizer`
    """

    settings = ("momentum", "wd_lh")
    rules = (updates.sign_sgd, updates.signum)

    def __init__(
        self,
        learning_rate: float | None = 0.01,
        momentum: float = 0.9,
        wd_lh: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(momentum, learning_rate=learning_rate, **kwargs)
        self.wd_lh = wd_lh


@register
class DCASGD(RuleOptimizer):
    """Gradient descent that compensates for delayed gradients (Zheng et al., 2016).

    Parameters
    ----------
    momentum : factor on the previous update
    lamda : strength of the compensation
    kwargs : see `Optimizer`
    """

    settings = ("momentum", "lamda")

    def __init__(self, momentum: float = 0.0, lamda: float = 0.04, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.momentum, self.lamda = momentum, lamda

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return the velocity (None without momentum) and the previous weight."""
        return (zeros_like(weight) if self.momentum else None, weight.copy())

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update a weight in place, and its state."""
        self._update_count(index)
        rule = updates.dcasgd_momentum if self.momentum else updates.dcasgd
        states = [one for one in state if one is not None]
        run_rule(rule, self.numbers_of(index), weight, grad, states)


@register
class SGLD(RuleOptimizer):
    """Langevin dynamics: descent with noise of variance `lr` (Welling and Teh, 2011).

    Parameters
    ----------
    kwargs : see `Optimizer`
    """

    rule = staticmethod(updates.langevin)
    state_count = 0

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update a weight in place."""
        self._update_count(index)
        numbers = self.numbers_of(index)
        noise = normal(0, math.sqrt(numbers.lr), shape=weight.shape, dtype=weight.dtype)
        run_rule(self.rule, numbers, weight, grad, [noise])


@register
class Test(RuleOptimizer):
    """Add the gradient to the weight; for tests.

    Parameters
    ----------
    kwargs : see `Optimizer`
    """

    rule = staticmethod(updates.accumulate)
    state_count = 1
