"""Callbacks of training loops: progress, speed, checkpoints.

Batch callbacks receive one argument with `epoch`, `nbatch` and `eval_metric`; epoch callbacks the
epoch, the symbol and both dictionaries of parameters.
"""

import logging
import math
import time
from collections.abc import Callable
from typing import Any

from gluonic.model import save_checkpoint

__all__ = [
    "LogValidationMetricsCallback",
    "ProgressBar",
    "Speedometer",
    "do_checkpoint",
    "log_train_metric",
    "module_checkpoint",
]


def module_checkpoint(
    mod: Any, prefix: str, period: int = 1, save_optimizer_states: bool = False
) -> Callable[..., None]:
    """Return an epoch callback that saves a module every `period` epochs.

    Parameters
    ----------
    mod : the module, with a method `save_checkpoint`
    prefix : prefix of the files' names
    period : number of epochs
    save_optimizer_states : whether to save the optimizer's states as well
    """
    period = max(1, int(period))

    def callback(iter_no: int, sym: Any = None, arg: Any = None, aux: Any = None) -> None:
        if (iter_no + 1) % period == 0:
            mod.save_checkpoint(prefix, iter_no + 1, save_optimizer_states)

    return callback


def do_checkpoint(prefix: str, period: int = 1) -> Callable[..., None]:
    """Return an epoch callback that saves symbol and parameters every `period` epochs.

    Parameters
    ----------
    prefix : prefix of the files' names
    period : number of epochs
    """
    period = max(1, int(period))

    def callback(iter_no: int, sym: Any, arg: Any, aux: Any) -> None:
        if (iter_no + 1) % period == 0:
            save_checkpoint(prefix, iter_no + 1, sym, arg, aux)

    return callback


def log_train_metric(period: int, auto_reset: bool = False) -> Callable[[Any], None]:
    """Return a batch callback that logs the training metric every `period` batches.

    Parameters
    ----------
    period : number of batches
    auto_reset : reset the metric afterwards
    """

    def callback(param: Any) -> None:
        if param.nbatch % period or param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            logging.info("Iter[%d] Batch[%d] Train-%s=%f", param.epoch, param.nbatch, name, value)
        if auto_reset:
            param.eval_metric.reset_local()

    return callback


class Speedometer:
    """A batch callback that logs samples a second, and the metric.

    Parameters
    ----------
    batch_size : number of samples in a batch
    frequent : number of batches between two logs
    auto_reset : reset the metric afterwards
    """

    def __init__(self, batch_size: int, frequent: int = 50, auto_reset: bool = True) -> None:
        self.batch_size, self.frequent, self.auto_reset = batch_size, frequent, auto_reset
        self.init, self.tic, self.last_count = False, 0.0, 0

    def __call__(self, param: Any) -> None:
        """Count a batch, and log if enough have passed."""
        count = param.nbatch
        if self.last_count > count:  # another epoch
            self.init = False
        self.last_count = count
        if not self.init:
            self.init, self.tic = True, time.time()
        elif count % self.frequent == 0:
            self._report(param, count)
            self.tic = time.time()

    def _report(self, param: Any, count: int) -> None:
        passed = time.time() - self.tic
        speed = self.frequent * self.batch_size / passed if passed else math.inf
        metric = param.eval_metric
        if metric is None:
            logging.info("Iter[%d] Batch [%d]\tSpeed: %.2f samples/sec", param.epoch, count, speed)
            return
        first = count - self.frequent if self.auto_reset else 0
        values = "".join(f"\t{name}={value:f}" for name, value in metric.get_name_value())
        if self.auto_reset:
            metric.reset_local()
        logging.info(
            "Epoch[%d] Batch [%d-%d]\tSpeed: %.2f samples/sec%s",
            param.epoch,
            first,
            count,
            speed,
            values,
        )


class ProgressBar:
    """A batch callback that logs a bar.

    Parameters
    ----------
    total : number of batches
    length : length of the bar, in characters
    """

    def __init__(self, total: int, length: int = 80) -> None:
        self.bar_len, self.total = length, total

    def __call__(self, param: Any) -> None:
        """Log the progress of training."""
        part = param.nbatch / self.total
        filled = round(self.bar_len * part)
        bar = "=" * filled + "-" * (self.bar_len - filled)
        logging.info("[%s] %d%%\r", bar, math.ceil(100 * part))


class LogValidationMetricsCallback:
    """A callback that logs the metric at the end of an epoch."""

    def __call__(self, param: Any) -> None:
        """Log the metric."""
        if param.eval_metric:
            for name, value in param.eval_metric.get_name_value():
                logging.info("Epoch[%d] Validation-%s=%f", param.epoch, name, value)
