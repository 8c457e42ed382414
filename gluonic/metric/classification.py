"""Metrics of classes and of their probabilities."""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy

from gluonic.graph.errors import AttributeValueError, describe
from gluonic.metric.base import (
    EvalMetric,
    Numbers,
    PairMetric,
    alias,
    as_numbers,
    check_label_shapes,
    register,
)
from gluonic.ndarray.array import NDArray

Names = Sequence[str] | None
Average = Literal["macro", "micro"]


@register
@alias("acc")
class Accuracy(PairMetric):
    """The part of predictions that are right.

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
        """Count the right predictions; of another shape than labels, they are probabilities."""
        if pred.shape != label.shape:
            pred = pred.argmax(axis=self.axis)
        label, pred = label.astype(numpy.int32).ravel(), pred.astype(numpy.int32).ravel()
        check_label_shapes(label, pred)
        return int((pred == label).sum()), pred.size


@register
@alias("top_k_accuracy", "top_k_acc")
class TopKAccuracy(PairMetric):
    """The part of labels that are among the `top_k` most probable classes.

    Parameters
    ----------
    top_k : how many classes count, more than 1
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


class _Table:
    """How often two classes were predicted, by what they were."""

    def __init__(self) -> None:
        self.true_positives = self.false_positives = 0
        self.true_negatives = self.false_negatives = 0

    def add(self, label: Numbers, pred: Numbers) -> None:
        """Count the predictions, given as probabilities of both classes."""
        check_label_shapes(label, pred)
        if len(numpy.unique(label)) > 2:
            raise AttributeValueError(
                describe(
                    "only binary classification is supported: labels must be 0 or 1", where="metric"
                )
            )
        said, is_so = pred.argmax(axis=1) == 1, label.astype(numpy.int32).ravel() == 1
        self.true_positives += int((said & is_so).sum())
        self.false_positives += int((said & ~is_so).sum())
        self.false_negatives += int((~said & is_so).sum())
        self.true_negatives += int((~said & ~is_so).sum())

    @property
    def total(self) -> int:
        """How many predictions have been counted."""
        return (
            self.true_positives + self.false_positives + self.true_negatives + self.false_negatives
        )

    def f1(self) -> float:
        """Return the harmonic mean of precision and recall."""
        whole = 2 * self.true_positives + self.false_positives + self.false_negatives
        return 2 * self.true_positives / whole if self.true_positives else 0.0

    def mcc(self) -> float:
        """Return Matthews' correlation coefficient; margins of zero count as one."""
        tp, fp = self.true_positives, self.false_positives
        tn, fn = self.true_negatives, self.false_negatives
        margins = [margin for margin in (tp + fp, tp + fn, tn + fp, tn + fn) if margin]
        return (tp * tn - fp * fn) / math.sqrt(math.prod(margins))


class _OfTable(EvalMetric):
    """A score of a table of predictions: averaged over updates, or of one table of all."""

    def __init__(
        self, name: str, output_names: Names, label_names: Names, average: Average
    ) -> None:
        if average not in ("macro", "micro"):
            raise AttributeValueError(
                f"{type(self).__name__}: average must be 'macro' or 'micro', not {average!r}"
            )
        self.average = average
        super().__init__(name, output_names, label_names, has_global_stats=True, average=average)

    def score(self, table: _Table) -> float:
        """Return the score of a table."""
        raise NotImplementedError

    def reset(self) -> None:
        """Forget everything."""
        self._global_table = _Table()
        super().reset()

    def reset_local(self) -> None:
        """Forget everything but the global figures."""
        self._table = _Table()
        super().reset_local()

    def update(self, labels: Any, preds: Any) -> None:
        """Take in labels of 0 and 1, and the probabilities of both classes."""
        labels, preds = check_label_shapes(labels, preds, wrap=True)
        for label, pred in zip(labels, preds, strict=True):
            for table in (self._table, self._global_table):
                table.add(as_numbers(label), as_numbers(pred))
        if self.average == "macro":
            self._add(self.score(self._table), 1)
            self._table = _Table()
            return
        local, whole = self._table, self._global_table
        self.sum_metric, self.num_inst = self.score(local) * local.total, local.total
        self.global_sum_metric = self.score(whole) * whole.total
        self.global_num_inst = whole.total


@register
class F1(_OfTable):
    """The harmonic mean of precision and recall, of two classes.

    Parameters
    ----------
    average : ``"macro"``: the mean of the scores of all updates; ``"micro"``: the score of all
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self,
        name: str = "f1",
        output_names: Names = None,
        label_names: Names = None,
        average: Average = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)

    def score(self, table: _Table) -> float:
        """Return the score of a table."""
        return table.f1()


@register
class MCC(_OfTable):
    """Matthews' correlation coefficient, of two classes.

    Parameters
    ----------
    average : ``"macro"``: the mean of the scores of all updates; ``"micro"``: the score of all
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self,
        name: str = "mcc",
        output_names: Names = None,
        label_names: Names = None,
        average: Average = "macro",
    ) -> None:
        super().__init__(name, output_names, label_names, average)

    def score(self, table: _Table) -> float:
        """Return the score of a table."""
        return table.mcc()


@register
class PCC(EvalMetric):
    """The Pearson correlation of labels and predictions of any number of classes.

    Parameters
    ----------
    name, output_names, label_names, has_global_stats : see `EvalMetric`
    """

    def __init__(
        self,
        name: str = "pcc",
        output_names: Names = None,
        label_names: Names = None,
        has_global_stats: bool = True,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=has_global_stats)

    def reset(self) -> None:
        """Forget everything."""
        self.gcm = numpy.zeros((2, 2))
        super().reset()

    def reset_local(self) -> None:
        """Forget everything but the global figures."""
        self.lcm = numpy.zeros_like(self.gcm)
        super().reset_local()

    def update(self, labels: Any, preds: Any) -> None:
        """Take in class numbers, and class numbers or probabilities."""
        labels, preds = check_label_shapes(labels, preds, wrap=True)
        for label, pred in zip(labels, preds, strict=True):
            label, pred = as_numbers(label).astype(numpy.int32), as_numbers(pred)
            pred = pred.argmax(axis=1) if pred.shape != label.shape else pred.astype(numpy.int32)
            self._grow(int(max(pred.max(initial=0), label.max(initial=0))) + 1 - len(self.gcm))
            for table in (self.lcm, self.gcm):
                numpy.add.at(table, (pred.ravel(), label.ravel()), 1)
        self.num_inst += 1
        self.global_num_inst += 1

    def _grow(self, more: int) -> None:
        if more > 0:
            self.lcm, self.gcm = (numpy.pad(table, (0, more)) for table in (self.lcm, self.gcm))

    def get(self) -> tuple[Any, Any]:
        """Return name and value since the last reset of either kind."""
        return self.name, _correlation(self.lcm)

    def get_global(self) -> tuple[Any, Any]:
        """Return name and value since the last `reset`."""
        return self.name, _correlation(self.gcm if self._has_global_stats else self.lcm)


def _correlation(table: Numbers) -> float:
    """Return the correlation of rows and columns of a table of counts."""
    total, rows, columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
    spread = (rows * (total - rows)).sum() * (columns * (total - columns)).sum()
    if spread == 0:
        return math.nan
    return float((table.diagonal() * total - rows * columns).sum() / math.sqrt(spread))


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
    ignore_label : labels that do not count; None: all count
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

    def update(self, labels: Any, preds: Any) -> None:
        """Take in outputs; labels do not count."""
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
