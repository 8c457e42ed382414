"""Learning rates that change with the number of updates."""

import itertools
import logging
import math
from collections.abc import Sequence
from typing import Literal

from gluonic.graph.attributes import Count, Positive
from gluonic.graph.constructors import CheckedArguments
from gluonic.graph.errors import AttributeValueError

__all__ = [
    "CosineScheduler",
    "FactorScheduler",
    "LRScheduler",
    "MultiFactorScheduler",
    "PolyScheduler",
]

_MOST_STEPS = 10_000


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise AttributeValueError(what)


class LRScheduler(CheckedArguments):
    """The base of all schedulers; a new one overrides `__call__`.

    Parameters
    ----------
    base_lr : the learning rate after the warm-up
    warmup_steps : number of updates in the warm-up
    warmup_begin_lr : the learning rate at the start of the warm-up
    warmup_mode : ``"linear"`` grows to `base_lr`, ``"constant"`` stays until its end
    """

    def __init__(
        self,
        base_lr: float = 0.01,
        warmup_steps: Count = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: Literal["linear", "constant"] = "linear",
    ) -> None:
        _require(
            warmup_begin_lr <= base_lr,
            f"warmup_begin_lr={warmup_begin_lr} must not exceed base_lr={base_lr}",
        )
        self.base_lr = self.warmup_final_lr = base_lr
        self.warmup_steps, self.warmup_begin_lr = warmup_steps, warmup_begin_lr
        self.warmup_mode = warmup_mode

    def get_warmup_lr(self, num_update: int) -> float:
        """Return the learning rate of an update within the warm-up."""
        _require(
            num_update < self.warmup_steps,
            f"update {num_update} is not within the warm-up of {self.warmup_steps}",
        )
        if self.warmup_mode == "constant":
            return self.warmup_begin_lr
        rise = self.warmup_final_lr - self.warmup_begin_lr
        return self.warmup_begin_lr + rise * num_update / self.warmup_steps

    def __call__(self, num_update: int) -> float:
        """Return the learning rate after `num_update` updates."""
        raise NotImplementedError(f"{type(self).__name__} must override __call__")


class _Stepwise(LRScheduler):
    """A learning rate that is multiplied by a factor at certain updates."""

    factor: float

    def _multiply(self, num_update: int, least: float = 0.0) -> None:
        self.base_lr = max(self.base_lr * self.factor, least)
        logging.info("Update[%d]: learning rate is now %0.5e", num_update, self.base_lr)


class FactorScheduler(_Stepwise):
    """Multiply the learning rate by a factor every `step` updates.

    Parameters
    ----------
    step : number of updates
    factor : the factor, at most 1
    stop_factor_lr : the least learning rate
    base_lr, warmup_steps, warmup_begin_lr, warmup_mode : see `LRScheduler`

    Examples
    --------
    >>> schedule = FactorScheduler(step=10, factor=0.5, base_lr=1.0)
    >>> [schedule(n) for n in (10, 11, 30, 31)]
    [1.0, 0.5, 0.25, 0.125]
    """

    def __init__(
        self,
        step: float,
        factor: float = 1,
        stop_factor_lr: float = 1e-8,
        base_lr: float = 0.01,
        warmup_steps: Count = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: Literal["linear", "constant"] = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        _require(step >= 1, f"step={step} must be at least 1")
        _require(factor <= 1, f"factor={factor} must be at most 1")
        self.step, self.factor, self.stop_factor_lr = step, factor, stop_factor_lr
        self.count: float = 0

    def __call__(self, num_update: int) -> float:
        """Return the learning rate after `num_update` updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        behind = (num_update - self.count) // self.step - _MOST_STEPS
        if behind > 0:  # a schedule that begins late, or comes from a file
            self.count += behind * self.step
            self.base_lr = max(self.base_lr * self.factor**behind, self.stop_factor_lr)
        while num_update > self.count + self.step:
            before = self.base_lr
            self.count += self.step
            self._multiply(num_update, self.stop_factor_lr)
            if self.base_lr == before:  # and it stays at the least rate from then on
                self.count += max(num_update - self.count - 1, 0) // self.step * self.step
        return self.base_lr


class MultiFactorScheduler(_Stepwise):
    """Multiply the learning rate by a factor after certain numbers of updates.

    Parameters
    ----------
    step : the numbers of updates, increasing
    factor : the factor, at most 1
    base_lr, warmup_steps, warmup_begin_lr, warmup_mode : see `LRScheduler`
    """

    def __init__(
        self,
        step: Sequence[int],
        factor: float = 1,
        base_lr: float = 0.01,
        warmup_steps: Count = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: Literal["linear", "constant"] = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        rising = all(a < b for a, b in itertools.pairwise(step))
        _require(
            len(step) > 0 and rising and step[0] >= 1,
            f"step={step} must be increasing numbers from 1 on",
        )
        _require(factor <= 1, f"factor={factor} must be at most 1")
        self.step, self.factor = step, factor
        self.cur_step_ind = self.count = 0

    def __call__(self, num_update: int) -> float:
        """Return the learning rate after `num_update` updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        while self.cur_step_ind < len(self.step) and num_update > self.step[self.cur_step_ind]:
            self.count = self.step[self.cur_step_ind]
            self.cur_step_ind += 1
            self._multiply(num_update)
        return self.base_lr


class _Curve(LRScheduler):
    """A learning rate that falls from `base_lr` to `final_lr` within `max_update` updates."""

    def __init__(
        self,
        max_update: Positive,
        base_lr: float,
        final_lr: float,
        warmup_steps: Count,
        warmup_begin_lr: float,
        warmup_mode: Literal["linear", "constant"],
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.base_lr_orig, self.final_lr = base_lr, final_lr
        self.max_update, self.max_steps = max_update, max_update - warmup_steps

    def __call__(self, num_update: int) -> float:
        """Return the learning rate after `num_update` updates."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        if num_update <= self.max_update:
            passed = (num_update - self.warmup_steps) / self.max_steps if self.max_steps else 1.0
            self.base_lr = self.final_lr + (self.base_lr_orig - self.final_lr) * self._left(passed)
        return self.base_lr

    def _left(self, passed: float) -> float:
        """Return the fraction of the decay that is left, for the fraction of updates that has passed."""
        raise NotImplementedError


class PolyScheduler(_Curve):
    """Lower the learning rate by a polynomial: ``(1 - n / max_update) ** pwr``.

    Parameters
    ----------
    max_update : the number of updates after which `final_lr` is reached
    base_lr : the initial learning rate
    pwr : the power
    final_lr : the final learning rate
    warmup_steps, warmup_begin_lr, warmup_mode : see `LRScheduler`
    """

    def __init__(
        self,
        max_update: Positive,
        base_lr: float = 0.01,
        pwr: float = 2,
        final_lr: float = 0,
        warmup_steps: Count = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: Literal["linear", "constant"] = "linear",
    ) -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.power = pwr

    def _left(self, passed: float) -> float:
        return float((1 - passed) ** self.power)


class CosineScheduler(_Curve):
    """Lower the learning rate by half a wave of the cosine.

    Parameters
    ----------
    max_update : the number of updates after which `final_lr` is reached
    base_lr : the initial learning rate
    final_lr : the final learning rate
    warmup_steps, warmup_begin_lr, warmup_mode : see `LRScheduler`
    """

    def __init__(
        self,
        max_update: Positive,
        base_lr: float = 0.01,
        final_lr: float = 0,
        warmup_steps: Count = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: Literal["linear", "constant"] = "linear",
    ) -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)

    def _left(self, passed: float) -> float:
        return (1 + math.cos(math.pi * passed)) / 2
