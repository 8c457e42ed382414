"""Metrics that average the losses that a net outputs."""

from typing import Any

from gluonic.metric.base import (
    EvalMetric,
    Names,
    as_numbers,
    register,
)
from gluonic.ndarray.array import NDArray


@register
class Loss(EvalMetric):
    """The mean of the outputs themselves, for nets that compute their loss.

    Parameters
    ----------
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self, name: str = "loss", output_names: Names = None, label_names: Names = None
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def update(self, _: Any, preds: Any) -> None:
        """Update from outputs; labels are ignored."""
        for pred in [preds] if isinstance(preds, NDArray) else preds:
            values = as_numbers(pred)
            self._add(float(values.sum()), values.size)


@register
class Torch(Loss):
    """`Loss` under another name.

    Parameters
    ----------
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self, name: str = "torch", output_names: Names = None, label_names: Names = None
    ) -> None:
        super().__init__(name, output_names, label_names)


@register
class Caffe(Loss):
    """`Loss` under another name.

    Parameters
    ----------
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self, name: str = "caffe", output_names: Names = None, label_names: Names = None
    ) -> None:
        super().__init__(name, output_names, label_names)
