"""The computation for a batch: forward pass, loss, and in training the backward pass."""

from typing import TYPE_CHECKING, Any

from gluonic import autograd
from gluonic.gluon.utils import split_and_load

if TYPE_CHECKING:
    from gluonic.gluon.contrib.estimator.estimator import Estimator

__all__ = ["BatchProcessor"]

Arrays = list[Any]


class BatchProcessor:
    """The computation of an `Estimator` for a batch; override it where a net takes more than one array."""

    def _get_data_and_label(
        self, batch: Any, ctx: Any, batch_axis: int = 0
    ) -> tuple[Arrays, Arrays]:
        """Divide data and labels of a batch among contexts."""
        data, label = (split_and_load(part, ctx, batch_axis) for part in (batch[0], batch[1]))
        return data, label

    def evaluate_batch(
        self, estimator: "Estimator", val_batch: Any, batch_axis: int = 0
    ) -> tuple[Arrays, Arrays, Arrays, Arrays]:
        """Compute predictions and losses for a validation batch.

        Parameters
        ----------
        estimator : whose `val_net`, `val_loss` and `context` are used
        val_batch : data and labels
        batch_axis : the axis of the samples

        Returns
        -------
        data, label, pred, loss
            one array for each context
        """
        data, label = self._get_data_and_label(val_batch, estimator.context, batch_axis)
        pred = [estimator.val_net(x) for x in data]
        loss = [estimator.val_loss(y_hat, y) for y_hat, y in zip(pred, label, strict=True)]
        return data, label, pred, loss

    def fit_batch(
        self, estimator: "Estimator", train_batch: Any, batch_axis: int = 0
    ) -> tuple[Arrays, Arrays, Arrays, Arrays]:
        """Compute predictions and losses for a training batch, and the gradients of the parameters.

        Parameters
        ----------
        estimator : whose `net`, `loss` and `context` are used
        train_batch : data and labels
        batch_axis : the axis of the samples

        Returns
        -------
        data, label, pred, loss
            one array for each context
        """
        data, label = self._get_data_and_label(train_batch, estimator.context, batch_axis)
        with autograd.record():
            pred = [estimator.net(x) for x in data]
            loss = [estimator.loss(y_hat, y) for y_hat, y in zip(pred, label, strict=True)]
        for one in loss:
            one.backward()
        return data, label, pred, loss
