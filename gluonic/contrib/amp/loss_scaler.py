"""The scale of a loss, chosen so that gradients in low precision neither vanish nor overflow."""

import logging
from collections.abc import Iterable, Sequence

import numpy as np

from gluonic.gluon.parameter import Parameter
from gluonic.ndarray import Context, NDArray
from gluonic.ndarray.placing import on_devices

__all__ = ["LossScaler"]

_FIRST, _MOST = 2.0**16, 2.0**24
_STEPS = 2000
"""The number of steps without overflow after which the scale is doubled."""


class LossScaler:
    """The scale of a loss: halved after an overflow, doubled after 2,000 steps without one.

    A change takes effect after the next step, since the loss of that step has already been scaled.

    Attributes
    ----------
    loss_scale : the scale, at first 65,536, at most 16,777,216
    """

    def __init__(self) -> None:
        self._loss_scale = self._next_loss_scale = _FIRST
        self._max_loss_scale = _MOST
        self._scale_seq_len = _STEPS
        self._unskipped = 0

    @property
    def loss_scale(self) -> float:
        """The scale."""
        return self._loss_scale

    def has_overflow(self, params: Iterable[Parameter]) -> bool:
        """Return whether a gradient is infinite or not a number, and change the scale.

        Parameters
        ----------
        params : parameters; those without gradients are skipped
        """
        gradients = [gradient for p in params if p.grad_req != "null" for gradient in p.list_grad()]
        overflow = not _are_finite(gradients)
        self.begin_step()
        self.end_step(overflow=overflow)
        return overflow

    @property
    def can_be_told_later(self) -> bool:
        """Whether `begin_step` and `end_step` do all that `has_overflow` does: no subclass has another one."""
        return type(self).has_overflow is LossScaler.has_overflow

    def begin_step(self) -> None:
        """Let the next loss be multiplied by the scale that the step before has led to."""
        self._loss_scale = self._next_loss_scale

    def end_step(self, *, overflow: bool) -> None:
        """Choose the scale after the next one, knowing whether a gradient of this step has overflowed."""
        if overflow:
            self._next_loss_scale, self._unskipped = self._loss_scale / 2, 0
            logging.info("AMP: decreasing loss scale to %f", self._next_loss_scale)
            return
        self._unskipped += 1
        if self._unskipped == self._scale_seq_len:
            self._unskipped = 0
            self._next_loss_scale = min(self._max_loss_scale, self._loss_scale * 2)
            logging.info("AMP: increasing loss scale to %f", self._next_loss_scale)


def _are_finite(gradients: Sequence[NDArray]) -> bool:
    """Whether all elements are finite; of those on a GPU, it tells one number."""
    there: dict[Context, list[NDArray]] = {}
    for gradient in gradients:
        if gradient.on_device:
            there.setdefault(gradient.context, []).append(gradient)
        elif not np.isfinite(gradient.asnumpy()).all():
            return False
    flags = [on_devices().finite_flag(arrays) for arrays in there.values()]
    return all(flag.to_host().all() for flag in flags)
