"""Metrics computed from a confusion matrix."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

import numpy

from gluonic.graph.errors import AttributeValueError, describe
from gluonic.metric.base import (
    EvalMetric,
    Names,
    Numbers,
    as_numbers,
    check_label_shapes,
    register,
)

Average = Literal["macro", "micro"]


class _Table:
    """A confusion matrix of two classes."""

    def __init__(self, counts: Mapping[str, int] = MappingProxyType({})) -> None:
        self.true_positives = counts.get("true_positives", 0)
        self.false_positives = counts.get("false_positives", 0)
        self.true_negatives = counts.get("true_negatives", 0)
        self.false_negatives = counts.get("false_negatives", 0)

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
        """The number of predictions counted."""
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


_BinaryClassificationMetrics = _Table  # the name in MXNet's pickles


class _OfTable(EvalMetric):
    """A score of a confusion matrix: averaged over updates, or of one matrix of all updates."""

    def __init__(
        self, name: str, output_names: Names, label_names: Names, average: Average
    ) -> None:
        if average not in ("macro", "micro"):
            raise AttributeValueError(
                f"{type(self).__name__}: average must be 'macro' or 'micro', not {average!r}"
            )
        self.average = average
        super().__init__(name, output_names, label_names, has_global_stats=True, average=average)

    def __setstate__(self, state: dict[str, Any]) -> None:
        held = state.pop("metrics", None) or state.pop("_metrics", None)
        if held is not None:  # MXNet's pickles have one table for both
            whole = {n[7:]: count for n, count in vars(held).items() if n.startswith("global_")}
            state["average"] = state.pop("_average", None) or state["average"]
            state |= {"_table": _Table(vars(held)), "_global_table": _Table(whole)}
        self.__dict__.update(state)

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
        """Update from labels of 0 and 1, and the probabilities of both classes."""
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
        """Update from class numbers as labels, and class numbers or probabilities as predictions."""
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

    @property
    def sum_metric(self) -> float:
        """The value times the number of updates since the last reset of either kind."""
        return _correlation(self.lcm) * self.num_inst

    @sum_metric.setter
    def sum_metric(self, value: float) -> None:
        """Do nothing: it follows from the counts, which are reset with it."""

    @property
    def global_sum_metric(self) -> float:
        """The value times the number of updates since the last `reset`."""
        return _correlation(self.gcm) * self.global_num_inst

    @global_sum_metric.setter
    def global_sum_metric(self, value: float) -> None:
        """Do nothing: it follows from the counts, which are reset with it."""


def _correlation(table: Numbers) -> float:
    """Return the correlation of rows and columns of a table of counts."""
    total, rows, columns = table.sum(), table.sum(axis=1), table.sum(axis=0)
    spread = (rows * (total - rows)).sum() * (columns * (total - columns)).sum()
    if spread == 0:
        return math.nan
    return float((table.diagonal() * total - rows * columns).sum() / math.sqrt(spread))
