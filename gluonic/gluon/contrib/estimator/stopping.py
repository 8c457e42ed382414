"""Handlers that end training."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gluonic.gluon.contrib.estimator.events import BatchEnd, EpochEnd, TrainBegin, TrainEnd
from gluonic.gluon.contrib.estimator.monitored import comparison, value_of, worst
from gluonic.graph.errors import AttributeValueError
from gluonic.metric import CompositeEvalMetric, EvalMetric

if TYPE_CHECKING:
    from gluonic.gluon.contrib.estimator.estimator import Estimator

__all__ = ["EarlyStoppingHandler", "StoppingHandler"]


class StoppingHandler(TrainBegin, BatchEnd, EpochEnd):
    """End training after a number of epochs or batches: those that `Estimator.fit` was given.

    Parameters
    ----------
    max_epoch : number of epochs
    max_batch : number of batches
    """

    def __init__(self, max_epoch: int | None = None, max_batch: int | None = None) -> None:
        self.max_epoch, self.max_batch = max_epoch, max_batch
        self.current_batch = self.current_epoch = 0
        self.stop_training = False

    def train_begin(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Count from zero."""
        self.max_epoch, self.max_batch = estimator.max_epoch, estimator.max_batch
        self.current_batch = self.current_epoch = 0
        self.stop_training = False

    def batch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> bool:
        """Count a batch; True if it is the last."""
        self.current_batch += 1
        self.stop_training |= self.current_batch == self.max_batch
        return self.stop_training

    def epoch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> bool:
        """Count an epoch; True if it is the last."""
        self.current_epoch += 1
        self.stop_training |= self.current_epoch == self.max_epoch
        return self.stop_training


class EarlyStoppingHandler(TrainBegin, EpochEnd, TrainEnd):
    """End training once a metric stops improving.

    Parameters
    ----------
    monitor : the metric, one of the estimator's
    min_delta : the least change that counts as an improvement
    patience : number of epochs to wait for a better value
    mode : ``"min"`` or ``"max"`` is better; ``"auto"`` is max, as in MXNet, and warns
    baseline : the first value to compare with

    Raises
    ------
    ValueError
        if `monitor` is no single metric
    """

    def __init__(
        self,
        monitor: EvalMetric,
        min_delta: float = 0,
        patience: int = 0,
        mode: str = "auto",
        baseline: float | None = None,
    ) -> None:
        if not isinstance(monitor, EvalMetric) or isinstance(monitor, CompositeEvalMetric):
            raise AttributeValueError(
                f"EarlyStoppingHandler: monitor must be a single metric, not {monitor!r}"
            )
        self.monitor, self.baseline, self.patience = monitor, baseline, patience
        self.monitor_op = comparison(monitor, mode, "EarlyStoppingHandler")
        self.min_delta = min_delta if self.monitor_op is np.greater else -min_delta
        self._begin()

    def _begin(self) -> None:
        self.wait = self.stopped_epoch = self.current_epoch = 0
        self.stop_training = False
        self.best = worst(self.monitor_op) if self.baseline is None else self.baseline

    def train_begin(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Reset the counts."""
        self._begin()

    def epoch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> bool:
        """Compare the metric; True if it has not improved for more than `patience` epochs."""
        value = value_of(self.monitor, "EarlyStoppingHandler")
        if value is not None and self.monitor_op(value - self.min_delta, self.best):
            self.best, self.wait = value, 0
        elif value is not None:
            self.wait += 1
            if self.wait >= self.patience:
                self.stopped_epoch, self.stop_training = self.current_epoch, True
        self.current_epoch += 1
        return self.stop_training

    def train_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Log why training has ended."""
        if self.stopped_epoch > 0:
            estimator.logger.info(
                "[Epoch %d] EarlyStoppingHandler: stopped: %s has not become better",
                self.stopped_epoch,
                self.monitor.get()[0],
            )
