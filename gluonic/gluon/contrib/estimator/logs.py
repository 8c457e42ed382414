"""The handler that logs the progress of training."""

import math
import time
from typing import TYPE_CHECKING, Any

from gluonic.gluon.contrib.estimator.events import (
    BatchBegin,
    BatchEnd,
    EpochBegin,
    EpochEnd,
    TrainBegin,
    TrainEnd,
)
from gluonic.gluon.contrib.estimator.metrics import _check_metrics
from gluonic.graph.errors import AttributeValueError

if TYPE_CHECKING:
    from gluonic.gluon.contrib.estimator.estimator import Estimator

__all__ = ["LoggingHandler"]


class LoggingHandler(TrainBegin, TrainEnd, EpochBegin, EpochEnd, BatchBegin, BatchEnd):
    """Log metrics after each epoch, or after some batches, to `Estimator.logger`.

    Parameters
    ----------
    log_interval : ``"epoch"``, or a number of batches
    metrics : a metric or a list
    priority : handlers with a lower priority are called first; by default this one is last

    Raises
    ------
    ValueError
        if `log_interval` is something else
    """

    def __init__(
        self, log_interval: int | str = "epoch", metrics: Any = None, priority: float = math.inf
    ) -> None:
        if not isinstance(log_interval, int) and log_interval != "epoch":
            raise AttributeValueError(
                f"LoggingHandler: log_interval must be a number of batches or 'epoch', not {log_interval!r}"
            )
        self.metrics, self.log_interval, self.priority = (
            _check_metrics(metrics),
            log_interval,
            priority,
        )
        self._begin()

    def _begin(self) -> None:
        self.batch_index = self.current_epoch = self.processed_samples = 0
        self.log_interval_time = 0.0

    def _values(self) -> str:
        return ", ".join(f"{name}: {value:.4f}" for name, value in (m.get() for m in self.metrics))

    def train_begin(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Log the optimizer, the learning rate and the length of training."""
        self.train_start = time.time()
        self._begin()
        trainer = estimator.trainer
        estimator.logger.info(
            "Training begin: optimizer %s, current learning rate %.4f",
            type(trainer.optimizer).__name__,
            trainer.learning_rate,
        )
        if estimator.max_epoch:
            estimator.logger.info("Train for %d epochs.", estimator.max_epoch)
        else:
            estimator.logger.info("Train for %d batches.", estimator.max_batch)

    def train_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Log the duration, and the last values."""
        estimator.logger.info(
            "Train finished: %ds, %d epochs. %s",
            time.time() - self.train_start,
            self.current_epoch,
            self._values(),
        )

    def batch_begin(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Start the timer."""
        self.batch_start = time.time()

    def batch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Log the values, if they are due."""
        if isinstance(self.log_interval, int):
            self.log_interval_time += time.time() - self.batch_start
            self.processed_samples += kwargs["batch"][0].shape[0]
            if self.batch_index % self.log_interval == 0:
                estimator.logger.info(
                    "[Epoch %d][Batch %d][Samples %s] time/interval: %.3fs %s",
                    self.current_epoch,
                    self.batch_index,
                    self.processed_samples,
                    self.log_interval_time,
                    self._values(),
                )
                self.log_interval_time = 0.0
        self.batch_index += 1

    def epoch_begin(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Log that an epoch begins, or validation."""
        self.epoch_start = time.time()
        if any("training" in metric.name for metric in self.metrics):
            estimator.logger.info(
                "[Epoch %d] Begin, current learning rate: %.4f",
                self.current_epoch,
                estimator.trainer.learning_rate,
            )
        else:
            estimator.logger.info("Validation Begin")

    def epoch_end(self, estimator: "Estimator", *args: Any, **kwargs: Any) -> None:
        """Log the duration of the epoch, and the values."""
        estimator.logger.info(
            "[Epoch %d] Finished in %.3fs, %s",
            self.current_epoch,
            time.time() - self.epoch_start,
            self._values(),
        )
        self.current_epoch += 1
        self.batch_index = 0
