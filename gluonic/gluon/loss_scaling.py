"""A trainer's part in the loss scaling of `contrib.amp`."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from gluonic.gluon.parameter import Parameter
from gluonic.gluon.trained import Trained
from gluonic.gluon.trainer_errors import EmptyBatchError
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.ndarray.placing import on_devices


class _Step(NamedTuple):
    """A step on a GPU, of which is not known yet whether it was done.

    Attributes
    ----------
    finite : tells later whether all gradients were finite
    counts : what the optimizer had counted before
    """

    finite: Any
    counts: Any


class LossScaling:
    """The scale of a trainer's gradients, with the private names that libraries for MXNet know.

    On a GPU, nobody waits to see whether gradients have overflowed: the kernel that updates the parameters
    reads a flag, and does nothing if they have. The host reads it at the next step, when it is needed for the
    scale, and takes back what the optimizer has counted.
    """

    _amp_loss_scaler: Any = None
    _amp_original_scale: float = 1.0
    _open_step: _Step | None = None
    _scale: float
    _params: list[Parameter]
    _updaters: list[Any]
    _update_on_kvstore: bool | None

    def _found(self) -> list[list[Trained]]:
        """The trained parameters of each context."""
        raise NotImplementedError

    def _fresh(self, ignore_stale_grad: bool) -> list[list[Trained]]:
        """For each context, the parameters whose gradients have been computed since the last step."""
        raise NotImplementedError

    def _update_fresh(self, fresh: Sequence[Sequence[Trained]]) -> None:
        """Update them."""
        raise NotImplementedError

    def _scale_for(self, batch_size: float) -> float:
        try:
            return self._scale / batch_size
        except TypeError:
            what = f"batch_size={batch_size!r} must be a number"
            raise AttributeValueError(describe(what, where="Trainer")) from None
        except ZeroDivisionError:
            what = f"gradients cannot be divided by batch_size={batch_size!r}"
            raise EmptyBatchError(describe(what, where="Trainer")) from None

    def find_loss_scaler(self) -> Any:
        """Return the scaler of the losses; None if they are not scaled."""
        return self._amp_loss_scaler

    def use_loss_scaler(self, scaler: Any) -> None:
        """Use a scaler, and from now on skip the steps whose gradients overflow."""
        self._amp_loss_scaler, self._amp_original_scale = scaler, self._scale

    def expect_scaled_loss(self) -> float:
        """Let the next step divide the gradients by the current scale of the loss; return the scale."""
        scale: float = self._amp_loss_scaler.loss_scale
        self._scale = self._amp_original_scale / scale
        return scale

    def unscale_gradients(self) -> None:
        """Divide the gradients by the scale of the loss; the next step will not divide them again."""
        for param in self._params:
            if param.grad_req != "null":
                for gradient in param.list_grad():
                    gradient[:] *= self._scale
        self._scale = 1.0

    def _overflows(self) -> bool:
        """Whether the gradients have overflowed, so that the step is skipped."""
        return bool(self._amp_loss_scaler.has_overflow(self._params))

    def close_step(self) -> None:
        """Learn whether the latest step on a GPU was done; waits for its gradients."""
        step, self._open_step = self._open_step, None
        if step is not None:
            overflow = not any(step.finite.read())
            if overflow:
                self._updaters[0].optimizer.return_to(step.counts)
            self._amp_loss_scaler.end_step(overflow=overflow)

    def _update_scaled(self, ignore_stale_grad: bool) -> None:
        """Update with the gradients of a scaled loss, unless they have overflowed."""
        self.close_step()
        if self._has_one_device() and not self._update_on_kvstore:
            (fresh,) = self._fresh(ignore_stale_grad)
            if self._updates_if_finite(self._updaters[0], fresh):
                for t in fresh:
                    t.leaf.fresh = False
                return
        if not self._overflows():
            self._update_fresh(self._fresh(ignore_stale_grad))

    def _has_one_device(self) -> bool:
        """Whether all trained parameters are on one GPU."""
        return len(self._updaters) == 1 and all(t.gradient.on_device for t in self._found()[0])

    def _updates_if_finite(self, updater: Any, trained: Sequence[Trained]) -> bool:
        """Queue an update that does nothing if gradients have overflowed; return whether there is one.

        Otherwise nothing was done: the caller looks at the gradients, and then updates.
        """
        scaler, gradients = self._amp_loss_scaler, [t.gradient for t in trained]
        if not gradients or not getattr(scaler, "can_be_told_later", False):
            return False
        counts, flag = updater.optimizer.counts(), on_devices().finite_flag(gradients)
        keys, arrays = [t.key for t in trained], [t.array for t in trained]
        if not updater.update_if(flag, keys, gradients, arrays):
            return False
        scaler.begin_step()
        self._open_step = _Step(flag.device.later(flag.address, flag.nbytes), counts)
        return True
