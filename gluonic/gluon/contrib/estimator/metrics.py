"""Checks of the metrics that an `Estimator` and its handlers are given."""

from collections.abc import Iterator
from typing import Any

from gluonic.gluon.loss import SoftmaxCrossEntropyLoss
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.metric import Accuracy, CompositeEvalMetric, EvalMetric

__all__: list[str] = []


def _check_metrics(metrics: Any) -> list[EvalMetric]:
    """Return metrics as a list, given one, several or None; composite ones are split."""
    if isinstance(metrics, CompositeEvalMetric):
        return [one for metric in metrics.metrics for one in _check_metrics(metric)]
    found = [metrics] if isinstance(metrics, EvalMetric) else metrics or []
    for metric in found:
        if not isinstance(metric, EvalMetric):
            raise AttributeValueError(
                f"metrics must be an EvalMetric or a list of them, not {metrics!r}"
            )
    return found


def _suggest_metric_for_loss(loss: Any) -> EvalMetric | None:
    """Return the metric that matches a loss, if there is one."""
    return Accuracy() if isinstance(loss, SoftmaxCrossEntropyLoss) else None


def _metrics_of(handler: Any) -> Iterator[EvalMetric]:
    """The metrics in a handler's attributes that are named after them."""
    for attribute in dir(handler):
        if "metric" in attribute:
            value = getattr(handler, attribute)
            values = value if isinstance(value, list) else [value]
            yield from (one for one in values if isinstance(one, EvalMetric))


def _check_handler_metric_ref(handler: Any, known_metrics: set[EvalMetric]) -> None:
    """Raise an error for a handler with metrics that nothing updates."""
    for metric in _metrics_of(handler):
        if metric not in known_metrics:
            raise AttributeValueError(
                describe(
                    f"{type(handler).__name__} has a metric that the estimator does not update: {metric.name}",
                    where="Estimator",
                    facts=[f"the estimator's: {sorted(one.name for one in known_metrics)}"],
                    hint="metrics of estimator.train_metrics or estimator.val_metrics",
                )
            )
