"""Handlers that update metrics, of training and of validation."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gluonic.gluon.contrib.estimator.events import BatchEnd, EpochBegin, EpochEnd, TrainBegin
from gluonic.gluon.contrib.estimator.metrics import _check_metrics
from gluonic.metric import Loss

if TYPE_CHECKING:
    from gluonic.gluon.contrib.estimator.estimator import Estimator

__all__ = ["MetricHandler", "ValidationHandler"]


class MetricHandler(EpochBegin, BatchEnd):
    """Update metrics after each batch, and reset them before each epoch.

    Parameters
    ----------
    metrics : a metric or a list; a `metric.Loss` is given the loss, others labels and predictions
    priority : handlers with a lower priority are called first
    """

    def __init__(self, metrics: Any, priority: float = -1000) -> None:
        self.metrics = _check_metrics(metrics)
        self.priority = priority  # before those that read the metrics

    def epoch_begin(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Reset the metrics."""
        for metric in self.metrics:
            metric.reset()

    def batch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Update the metrics with `label`, `pred` and `loss`."""
        for metric in self.metrics:
            if isinstance(metric, Loss):
                metric.update(0, kwargs["loss"])
            else:
                metric.update(kwargs["label"], kwargs["pred"])


class ValidationHandler(TrainBegin, BatchEnd, EpochEnd):
    """Evaluate the model on validation data during training.

    Parameters
    ----------
    val_data : a DataLoader
    eval_fn : called with `val_data`, `batch_axis` and `event_handlers`; such as `Estimator.evaluate`
    epoch_period : number of epochs between evaluations; None never
    batch_period : number of batches between evaluations; None never
    priority : handlers with a lower priority are called first
    event_handlers : handlers to be called during validation
    """

    def __init__(
        self,
        val_data: Any,
        eval_fn: Callable[..., Any],
        epoch_period: int | None = 1,
        batch_period: int | None = None,
        priority: float = -1000,
        event_handlers: Any = None,
    ) -> None:
        self.val_data, self.eval_fn, self.event_handlers = val_data, eval_fn, event_handlers
        self.epoch_period, self.batch_period = epoch_period, batch_period
        self.current_batch = self.current_epoch = 0
        self.priority = priority  # before those that read the metrics

    def train_begin(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Count batches and epochs from zero."""
        self.current_batch = self.current_epoch = 0

    def batch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Evaluate, if it is due."""
        self.current_batch += 1
        self._evaluate_after(self.current_batch, self.batch_period, estimator)

    def epoch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Evaluate, if it is due."""
        self.current_epoch += 1
        self._evaluate_after(self.current_epoch, self.epoch_period, estimator)

    def _evaluate_after(self, count: int, period: int | None, estimator: "Estimator") -> None:
        if period and count % period == 0:
            self.eval_fn(
                val_data=self.val_data,
                batch_axis=estimator.batch_axis,
                event_handlers=self.event_handlers,
            )
