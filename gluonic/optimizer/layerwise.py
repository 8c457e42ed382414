"""Optimizers whose step size depends on the norms of whole layers, for large batches."""

import logging
import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from gluonic.graph import updates
from gluonic.graph.scalar_math import M
from gluonic.graph.trust_ratio import norm, trust_ratio
from gluonic.ndarray.array import NDArray
from gluonic.optimizer.base import Optimizer, as_states, register, run_rule, zeros_like
from gluonic.optimizer.descent import SGD

__all__ = ["LAMB", "LARS", "LBSGD"]


@register
class LARS(SGD):
    """`SGD` with layer-wise adaptive rates (You et al., 2017).

    The learning rate of a layer is multiplied by ``eta · |w| / (|g| + wd · |w| + eps)``, except for
    gammas, betas and biases.

    Parameters
    ----------
    momentum : factor on the previous update
    lazy_update : accepted for compatibility; gradients are dense
    eta : size of a layer's update, relative to its norm
    eps : added to the denominator
    momentum_correction : scale the momentum when the learning rate changes
    kwargs : see `Optimizer`
    """

    _step_of_lr = -1

    def __init__(
        self,
        momentum: float = 0.0,
        lazy_update: bool = True,
        eta: float = 0.001,
        eps: float = 0,
        momentum_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(momentum, lazy_update, **kwargs)
        self.eta, self.eps, self.momentum_correction = eta, eps, momentum_correction
        self.last_lr: float | None = None
        self.cur_lr: float | None = None

    def _decays(self, name: str) -> bool:
        return name.endswith("_weight")

    def _get_lrs(self, indices: Sequence[Any]) -> list[float]:
        if self._step_of_lr != self.num_update:  # once per step, not once per parameter
            lr = self.learning_rate
            self.last_lr = lr if self.cur_lr is None else self.cur_lr
            self.cur_lr, self._step_of_lr = lr, self.num_update
        return super()._get_lrs(indices)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update a weight in place, and its state; lists of all four are accepted, too."""
        if isinstance(index, (list, tuple)):
            super().update(index, weight, grad, state)
            return
        self._update_count(index)
        numbers = self.numbers_of(index)
        if not self.idx2name.get(index, str(index)).endswith(("gamma", "beta", "bias")):
            numbers.lr *= self._rate(weight, grad, numbers.wd)
        if self.momentum_correction and self.last_lr:
            assert self.cur_lr is not None
            numbers.momentum *= self.cur_lr / self.last_lr
        run_rule(self.rule, numbers, weight, grad, as_states(state))

    def _rate(self, weight: NDArray, grad: NDArray, wd: float) -> float:
        size, slope = norm_of(weight), norm_of(grad) * self.rescale_grad
        if not (size > 0 and slope > 0):
            return 1.0
        return self.eta * size / (slope + wd * size + self.eps)


@register
class LAMB(Optimizer):
    """Adam's directions, in steps relative to the norms of the layers (You et al., 2020).

    Parameters
    ----------
    learning_rate : size of a layer's update, relative to its norm
    beta1, beta2 : decay rates of the running averages of the gradient and of its square
    epsilon : added to the root of the square
    lower_bound, upper_bound : bounds on the norms; None for none
    bias_correction : correct the bias of averages initialized to zero
    kwargs : see `Optimizer`
    """

    def __init__(
        self,
        learning_rate: float | None = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        lower_bound: float | None = None,
        upper_bound: float | None = None,
        bias_correction: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(learning_rate=learning_rate, **kwargs)
        self.beta1, self.beta2, self.epsilon = beta1, beta2, epsilon
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        self.bias_correction = bias_correction

    def create_state(self, index: Any, weight: NDArray) -> Any:
        """Return zeros for both averages."""
        return tuple(zeros_like(weight) for _ in range(2))

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Update a weight in place, and its state; lists of all four are accepted, too."""
        if isinstance(index, (list, tuple)):
            for one in zip(index, weight, grad, state, strict=True):
                self.update(*one)
            return
        self._update_count(index)
        t = self._index_update_count[index]
        numbers = SimpleNamespace(
            wd=self._get_wd(index),
            rescale=self.rescale_grad,
            clip=self.clip_gradient,
            beta1=self.beta1,
            beta2=self.beta2,
            epsilon=self.epsilon,
            bias1=1.0 - self.beta1**t if self.bias_correction else 1.0,
            bias2=1.0 - self.beta2**t if self.bias_correction else 1.0,
        )
        direction = weight.copy()
        run_rule(updates.lamb_direction, numbers, direction, grad, state)
        norms = norm_of(weight), norm_of(direction)
        ratio = float(trust_ratio(M, *norms, self.lower_bound or None, self.upper_bound or None))
        step = SimpleNamespace(lr=self._get_lr(index) * ratio)
        run_rule(updates.lamb, step, weight, direction, ())


@register
class LBSGD(SGD):
    """`SGD` for large batches: it sums the gradients of several batches, and has a warm-up.

    Parameters
    ----------
    momentum : factor on the previous update
    multi_precision : see `Optimizer`
    warmup_strategy : growth of the learning rate to its `batch_scale`-fold: ``"linear"``,
        ``"power2"``, ``"sqrt"``; or ``"lars"`` for rates by the norms of the layers
    warmup_epochs : number of epochs of this growth
    batch_scale : number of batches in a step
    updates_per_epoch : number of batches in an epoch
    begin_epoch : the first epoch of training
    num_epochs : accepted for compatibility
    kwargs : see `Optimizer`
    """

    def __init__(
        self,
        momentum: float = 0.0,
        multi_precision: bool = False,
        warmup_strategy: Literal["linear", "power2", "sqrt", "lars"] = "linear",
        warmup_epochs: float = 5,
        batch_scale: float = 1,
        updates_per_epoch: float = 32,
        begin_epoch: float = 0,
        num_epochs: float = 60,
        **kwargs: Any,
    ) -> None:
        super().__init__(momentum, multi_precision=multi_precision, **kwargs)
        logging.info(
            "Large-batch SGD: batch_scale=%s, warmup_epochs=%s, warmup_strategy=%s, "
            "updates_per_epoch=%s",
            batch_scale,
            warmup_epochs,
            warmup_strategy,
            updates_per_epoch,
        )
        self.warmup_strategy, self.warmup_epochs = warmup_strategy, warmup_epochs
        self.batch_scale, self.updates_per_epoch = batch_scale, updates_per_epoch
        self.init_updates, self.num_epochs = begin_epoch * updates_per_epoch, num_epochs
        self.cumgrads: dict[Any, dict[str, Any]] = {}  # as in MXNet's files of states

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        """Sum the gradient, and in every `batch_scale`-th call update a weight in place."""
        if isinstance(index, (list, tuple)):
            super().update(index, weight, grad, state)
            return
        lr, wd = self._get_lr(index), self._get_wd(index)
        self._update_count(index)
        before = self.cumgrads.get(index, {"cum_grad": 0, "num_cums": self.init_updates})
        total, count = grad + before["cum_grad"], before["num_cums"] + 1
        is_due = count % self.batch_scale == 0
        self.cumgrads[index] = {"cum_grad": 0 if is_due else total, "num_cums": count}
        if not is_due:
            return
        mean = total / self.batch_scale
        numbers = self.numbers_of(index)
        numbers.lr = lr * (
            self._rate(weight, mean, wd) if self.warmup_strategy == "lars" else self._growth(count)
        )
        run_rule(self.rule, numbers, weight, mean, as_states(state))

    def _growth(self, update: int) -> float:
        whole = self.warmup_epochs * self.updates_per_epoch
        if update >= whole:
            return float(self.batch_scale)
        if whole <= 1:
            return 1.0
        part = update / whole
        shapes = {"linear": part, "power2": part * part, "sqrt": math.sqrt(part)}
        return 1.0 + (self.batch_scale - 1) * shapes.get(self.warmup_strategy, 0.0)

    def _rate(self, weight: NDArray, grad: NDArray, wd: float) -> float:
        size, slope = norm_of(weight) ** 2, norm_of(grad) ** 2
        return min(max(math.sqrt(size / (slope + wd * size + 1e-18)), 0.01), 100.0)


def norm_of(array: NDArray) -> float:
    """The Euclidean norm of all elements; of 16 bits, it is computed in float32."""
    if not array.on_device:
        return norm(array.elements)
    wide = array.detach().as_nd_ndarray().astype(np.float32, copy=False)
    return float(wide.norm())
