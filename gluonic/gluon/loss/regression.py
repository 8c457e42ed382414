"""Losses of numbers and counts."""

import math
from typing import Any

from gluonic.gluon.loss.base import Loss, reshape_like
from gluonic.graph.attributes import Axes


class L2Loss(Loss):
    """Half the mean square of the differences: ``weight / 2 · (label - pred)²``.

    Parameters
    ----------
    weight, batch_axis, kwargs : see `Loss`
    """

    def __init__(self, weight: float = 1.0, batch_axis: Axes = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Compare; `label` is reshaped like `pred`."""
        return self._mean(F, 0.5 * F.square(reshape_like(F, label, pred) - pred), sample_weight)


class L1Loss(Loss):
    """The mean absolute difference ``|label - pred|``.

    Parameters
    ----------
    weight, batch_axis, kwargs : see `Loss`
    """

    def __init__(self, weight: float | None = None, batch_axis: Axes = 0, **kwargs: Any) -> None:
        super().__init__(weight, batch_axis, **kwargs)

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Compare; `label` is reshaped like `pred`."""
        return self._mean(F, F.abs(reshape_like(F, label, pred) - pred), sample_weight)


class HuberLoss(Loss):
    """``(label - pred)² / (2 · rho)`` below `rho`, ``|label - pred| - rho / 2`` above.

    Parameters
    ----------
    rho : the absolute difference at which the two expressions meet
    weight, batch_axis, kwargs : see `Loss`
    """

    def __init__(
        self,
        rho: float = 1,
        weight: float | None = None,
        batch_axis: Axes = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._rho = rho

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Compare; `label` is reshaped like `pred`."""
        rho, gap = self._rho, F.abs(reshape_like(F, label, pred) - pred)
        loss = F.where(gap > rho, gap - 0.5 * rho, (0.5 / rho) * F.square(gap))
        return self._mean(F, loss, sample_weight)


class PoissonNLLLoss(Loss):
    """The negative log likelihood of counts; one number in all, of shape ``(1,)``.

    Parameters
    ----------
    from_logits : whether predictions are logarithms of the expected counts
    compute_full : add Stirling's approximation of ``log(target!)`` for targets above 1
    weight, batch_axis, kwargs : see `Loss`
    """

    def __init__(
        self,
        weight: float | None = None,
        from_logits: bool = True,
        batch_axis: Axes = 0,
        compute_full: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits, self._compute_full = from_logits, compute_full

    def hybrid_forward(
        self, F: Any, pred: Any, target: Any, sample_weight: Any = None, epsilon: float = 1e-8
    ) -> Any:
        """Compare; `target` is reshaped like `pred`, `epsilon` keeps logarithms finite."""
        target = reshape_like(F, target, pred)
        log, mean = (pred, F.exp(pred)) if self._from_logits else (F.log(pred + epsilon), pred)
        loss = mean - target * log
        if self._compute_full:
            stirling = target * F.log(target) - target + 0.5 * F.log(2 * math.pi * target)
            loss = loss + F.where(target > 1, stirling, F.zeros_like(target))
        return self._reduced(F, self._weighted(F, loss, sample_weight))

    def _reduced(self, F: Any, loss: Any) -> Any:
        return F.mean(loss)
