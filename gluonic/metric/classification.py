"""Metrics of classes and of their probabilities."""

import math
from typing import Any

import numpy

from gluonic.graph.errors import AttributeValueError
from gluonic.metric.base import (
    Names,
    Numbers,
    PairMetric,
    alias,
    check_label_shapes,
    register,
)


@register
@alias("acc")
class Accuracy(PairMetric):
    """The fraction of predictions that are right.

    Parameters
    ----------
    axis : the axis of the classes, where predictions are probabilities
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self,
        axis: int = 1,
        name: str = "accuracy",
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        super().__init__(name, output_names, label_names, axis=axis)
        self.axis = axis

    def measure(self, label: Numbers, pred: Numbers) -> tuple[Any, Any]:
        """Count the right predictions; if their shape differs from the labels', they are probabilities."""
        if pred.shape != label.shape:
            pred = pred.argmax(axis=self.axis)
        label, pred = label.astype(numpy.int32).ravel(), pred.astype(numpy.int32).ravel()
        check_label_shapes(label, pred)
        return int((pred == label).sum()), pred.size


@register
@alias("top_k_accuracy", "top_k_acc")
class TopKAccuracy(PairMetric):
    """The fraction of labels that are among the `top_k` most probable classes.

    Parameters
    ----------
    top_k : number of best classes that count, more than 1
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self,
        top_k: int = 1,
        name: str = "top_k_accuracy",
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        if top_k <= 1:
            raise AttributeValueError(f"TopKAccuracy: top_k={top_k}: for 1 there is Accuracy")
        super().__init__(f"{name}_{top_k}", output_names, label_names, top_k=top_k)
        self.top_k = top_k

    def get_config(self) -> dict[str, Any]:
        """Return what `create` needs to make an equal metric."""
        return {**super().get_config(), "name": self.name.removesuffix(f"_{self.top_k}")}

    def measure(self, label: Numbers, pred: Numbers) -> tuple[Any, Any]:
        """Count the labels among the best classes."""
        if pred.ndim != 2:
            raise AttributeValueError(
                f"TopKAccuracy: predictions must be (samples, classes), not {pred.shape}"
            )
        check_label_shapes(label, pred)
        best = numpy.argsort(pred.astype(numpy.float32), axis=1)[:, -self.top_k :]
        label = label.astype(numpy.int32).reshape(-1, 1)
        return int((best == label).sum()), len(pred)


class _OfProbability(PairMetric):
    """The mean negative logarithm of the probability of the right class."""

    def __init__(self, eps: float, name: str, output_names: Names, label_names: Names) -> None:
        super().__init__(name, output_names, label_names, eps=eps)
        self.eps = eps

    def measure(self, label: Numbers, pred: Numbers) -> tuple[Any, Any]:
        """Sum up the negative logarithms."""
        label = label.ravel()
        check_label_shapes(label, pred)
        right = pred[numpy.arange(len(label)), label.astype(numpy.int64)]
        return (-numpy.log(right + self.eps)).sum(), len(label)


@register
@alias("ce")
class CrossEntropy(_OfProbability):
    """The mean cross entropy: the negative logarithm of the probability of the right class.

    Parameters
    ----------
    eps : added to the probability
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "cross-entropy",
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)


@register
@alias("nll_loss")
class NegativeLogLikelihood(_OfProbability):
    """The mean negative log likelihood: the same as `CrossEntropy`.

    Parameters
    ----------
    eps : added to the probability
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self,
        eps: float = 1e-12,
        name: str = "nll-loss",
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        super().__init__(eps, name, output_names, label_names)


@register
class Perplexity(PairMetric):
    """The exponential of the mean negative logarithm of the probability of the right class.

    Parameters
    ----------
    ignore_label : the label to ignore; None: all count
    axis : the axis of the classes
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self,
        ignore_label: int | None,
        axis: int = -1,
        name: str = "perplexity",
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        super().__init__(name, output_names, label_names, ignore_label=ignore_label, axis=axis)
        self.ignore_label, self.axis = ignore_label, axis

    def measure(self, label: Numbers, pred: Numbers) -> tuple[Any, Any]:
        """Sum up the negative logarithms."""
        pred = numpy.moveaxis(pred, self.axis, -1).reshape(-1, pred.shape[self.axis])
        label = label.astype(numpy.int64).ravel()
        check_label_shapes(label, pred)
        known = numpy.clip(label, 0, pred.shape[1] - 1)
        right = pred[numpy.arange(len(label)), known]
        if self.ignore_label is not None:
            right = right[label != self.ignore_label]
        return float(-numpy.log(numpy.maximum(1e-10, right)).sum()), len(right)

    def _value(self, total: float, count: float) -> float:
        return math.exp(total / count) if count else math.nan
