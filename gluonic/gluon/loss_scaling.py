"""A trainer's part in the loss scaling of `contrib.amp`."""

from typing import Any

from gluonic.gluon.parameter import Parameter


class LossScaling:
    """The scale of a trainer's gradients, with the private names that libraries for MXNet know."""

    _amp_loss_scaler: Any = None
    _amp_original_scale: float = 1.0
    _scale: float
    _params: list[Parameter]

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
        scaler = self._amp_loss_scaler
        return scaler is not None and bool(scaler.has_overflow(self._params))
