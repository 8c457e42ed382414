"""``mx.contrib.tensorboard``: metrics for TensorBoard."""

import importlib
from importlib.util import find_spec
from typing import Any

from gluonic.graph.errors import NotThereError, describe

__all__ = ["LogMetricsCallback"]

_WRITERS = ("mxboard", "tensorboardX")


class LogMetricsCallback:
    """Write the metrics to files that TensorBoard shows; a callback after batches or epochs.

    Parameters
    ----------
    logging_dir : the folder of the files
    prefix : put before the names of metrics, with a hyphen

    Attributes
    ----------
    summary_writer : the `SummaryWriter` of mxboard, or of tensorboardX

    Raises
    ------
    NotImplementedError
        if none of them is installed
    """

    def __init__(self, logging_dir: str, prefix: str | None = None) -> None:
        self.prefix = prefix
        self.summary_writer: Any = _writers().SummaryWriter(logging_dir)

    def __call__(self, param: Any) -> None:
        """Write the values of `param.eval_metric` for the epoch `param.epoch`."""
        if param.eval_metric is None:
            return
        for name, value in param.eval_metric.get_name_value():
            title = name if self.prefix is None else f"{self.prefix}-{name}"
            self.summary_writer.add_scalar(title, value, global_step=param.epoch)


def _writers() -> Any:
    """The installed module that writes TensorBoard's files."""
    for name in _WRITERS:
        if find_spec(name) is not None:
            return importlib.import_module(name)
    raise NotThereError(
        describe(
            f"none of {' and '.join(_WRITERS)} is installed",
            where="LogMetricsCallback",
            hint="pip install tensorboardX",
        )
    )
