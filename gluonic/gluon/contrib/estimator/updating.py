"""The handler that calls `Trainer.step`."""

from typing import TYPE_CHECKING, Any

from gluonic.gluon.contrib.estimator.events import BatchEnd

if TYPE_CHECKING:
    from gluonic.gluon.contrib.estimator.estimator import Estimator

__all__ = ["GradientUpdateHandler"]


class GradientUpdateHandler(BatchEnd):
    """Update the parameters after each batch: `Trainer.step` with the number of samples in the loss.

    Parameters
    ----------
    priority : handlers with a lower priority are called first
    """

    def __init__(self, priority: float = -2000) -> None:
        self.priority = priority

    def batch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Take a step."""
        loss = kwargs["loss"]
        losses = loss if isinstance(loss, list) else [loss]
        estimator.trainer.step(sum(one.shape[0] for one in losses))
