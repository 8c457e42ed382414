"""The base of metrics, and metrics composed of others or given by functions."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy
import numpy.typing

from gluonic import registry
from gluonic.graph.constructors import CheckedArguments
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.ndarray.array import NDArray

Numbers = numpy.typing.NDArray[Any]
Names = Sequence[str] | None
_NOTHING = numpy.float64(
    0
)  # of NumPy: its sums with float32 are float64, those of Python's are not


def check_label_shapes(
    labels: Any, preds: Any, wrap: bool = False, shape: bool = False
) -> tuple[Any, Any]:
    """Check that labels and predictions match.

    Parameters
    ----------
    labels, preds : arrays, or lists of arrays
    wrap : put single arrays into lists
    shape : compare the shapes, not only the lengths

    Raises
    ------
    ValueError
        if they do not match
    """
    sizes = (labels.shape, preds.shape) if shape else (len(labels), len(preds))
    if sizes[0] != sizes[1]:
        what = "shapes" if shape else "numbers"
        raise AttributeValueError(
            describe(
                f"labels and predictions differ in their {what}",
                where="metric",
                facts=[
                    f"labels: {_counted(labels)}",
                    f"predictions: {_counted(preds)}",
                ],
                hint="one array of labels for each array of predictions, of as many samples",
            )
        )
    if wrap:
        labels = [labels] if isinstance(labels, NDArray) else labels
        preds = [preds] if isinstance(preds, NDArray) else preds
    return labels, preds


def _counted(arrays: Any) -> str:
    """The shape of an array; of a list, the number of arrays and their shapes."""
    if isinstance(arrays, (list, tuple)):
        shapes = ", ".join(str(getattr(array, "shape", "?")) for array in arrays)
        return f"{len(arrays)} arrays of shapes {shapes}"
    return f"shape {arrays.shape}" if hasattr(arrays, "shape") else str(len(arrays))


def as_numbers(values: Any) -> Numbers:
    """Return an array, or anything like one, as a NumPy array."""
    return values.asnumpy() if isinstance(values, NDArray) else numpy.asarray(values)


class EvalMetric(CheckedArguments):
    """The base of all metrics: a mean over all updates since the last `reset`.

    A new one overrides `update`, adding to `sum_metric` and `num_inst`.

    Parameters
    ----------
    name : its name in reports
    output_names, label_names : the outputs and labels that `update_dict` takes; None: all
    kwargs : settings for `get_config`; ``has_global_stats=True`` if `update` adds to the global
        figures, too

    Attributes
    ----------
    sum_metric, num_inst : sum and number since `reset` or `reset_local`
    global_sum_metric, global_num_inst : sum and number since `reset`
    """

    num_inst: float
    sum_metric: float
    global_num_inst: float
    global_sum_metric: float

    def __init__(
        self,
        name: str,
        output_names: Names = None,
        label_names: Names = None,
        **kwargs: Any,
    ) -> None:
        self.name = str(name)
        self.output_names, self.label_names = output_names, label_names
        self._has_global_stats = kwargs.pop("has_global_stats", False)
        self._kwargs = kwargs
        self.reset()

    def __str__(self) -> str:
        return f"EvalMetric: {dict(self.get_name_value())}"

    def get_config(self) -> dict[str, Any]:
        """Return the configuration from which `create` makes an equal metric; it can be written as JSON."""
        return {
            **self._kwargs,
            "metric": type(self).__name__,
            "name": self.name,
            "output_names": self.output_names,
            "label_names": self.label_names,
        }

    def update_dict(self, label: Mapping[str, Any], pred: Mapping[str, Any]) -> None:
        """Update from labels and predictions by name."""
        self.update(_chosen(label, self.label_names), _chosen(pred, self.output_names))

    def update(self, labels: Any, preds: Any) -> None:
        """Update from labels and predictions, each a list of arrays."""
        raise NotImplementedError(f"{type(self).__name__} must override update")

    def reset(self) -> None:
        """Forget everything."""
        self.global_num_inst, self.global_sum_metric = 0, _NOTHING
        self.reset_local()

    def reset_local(self) -> None:
        """Forget everything but the global figures."""
        self.num_inst, self.sum_metric = 0, _NOTHING

    def _add(self, total: Any, count: Any) -> None:
        self.sum_metric += total
        self.num_inst += count
        self.global_sum_metric += total
        self.global_num_inst += count

    def _value(self, total: float, count: float) -> float:
        """Return the value for a sum and a number."""
        found = total / count if count else math.nan
        return found.item() if isinstance(found, numpy.generic) else found

    def get(self) -> tuple[Any, Any]:
        """Return name and value since the last reset of either kind."""
        return self.name, self._value(self.sum_metric, self.num_inst)

    def get_global(self) -> tuple[Any, Any]:
        """Return name and value since the last `reset`."""
        if not self._has_global_stats:
            return self.get()
        return self.name, self._value(self.global_sum_metric, self.global_num_inst)

    def get_name_value(self) -> list[tuple[str, float]]:
        """Return pairs of names and values."""
        return _pairs(*self.get())

    def get_global_name_value(self) -> list[tuple[str, float]]:
        """Return pairs of names and values since the last `reset`."""
        return _pairs(*self.get_global())


def _chosen(values: Mapping[str, Any], names: Sequence[str] | None) -> list[Any]:
    return list(values.values()) if names is None else [values[name] for name in names]


def _pairs(name: Any, value: Any) -> list[tuple[str, float]]:
    names = name if isinstance(name, list) else [name]
    values = value if isinstance(value, list) else [value]
    return list(zip(names, values, strict=True))


class PairMetric(EvalMetric):
    """A metric of single pairs of labels and predictions; a new one overrides `measure`."""

    def __init__(
        self,
        name: str,
        output_names: Names = None,
        label_names: Names = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, output_names, label_names, has_global_stats=True, **kwargs)

    def update(self, labels: Any, preds: Any) -> None:
        """Update from labels and predictions: arrays, or lists of arrays."""
        labels, preds = check_label_shapes(labels, preds, wrap=True)
        for label, pred in zip(labels, preds, strict=True):
            self._add(*self.measure(as_numbers(label), as_numbers(pred)))

    def measure(self, label: Numbers, pred: Numbers) -> tuple[Any, Any]:
        """Return what to add to sum and number."""
        raise NotImplementedError(f"{type(self).__name__} must override measure")


register = registry.get_register_func(EvalMetric, "metric")
alias = registry.get_alias_func(EvalMetric, "metric")
_create = registry.get_create_func(EvalMetric, "metric")


def create(metric: Any, *args: Any, **kwargs: Any) -> Any:
    """Make a metric.

    Parameters
    ----------
    metric : a name, a metric (returned as it is), a list of these, a configuration, or a function
        of labels and predictions as NumPy arrays
    args, kwargs : for the constructor

    Examples
    --------
    >>> create("acc").name
    'accuracy'
    """
    if callable(metric):
        return CustomMetric(metric, *args, **kwargs)
    if isinstance(metric, list):
        return CompositeEvalMetric([create(one, *args, **kwargs) for one in metric])
    return _create(metric, *args, **kwargs)


@register
@alias("composite")
class CompositeEvalMetric(EvalMetric):
    """Several metrics together.

    Parameters
    ----------
    metrics : the metrics, or arguments of `create`
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self,
        metrics: Sequence[Any] | None = None,
        name: str = "composite",
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        self.metrics = [create(one) for one in metrics or ()]
        super().__init__(name, output_names, label_names, has_global_stats=True)

    def add(self, metric: Any) -> None:
        """Add a metric, or an argument of `create`."""
        self.metrics.append(create(metric))

    def get_metric(self, index: int) -> EvalMetric:
        """Return one of the metrics.

        Raises
        ------
        ValueError
            if there is no such metric
        """
        if not -len(self.metrics) <= index < len(self.metrics):
            raise AttributeValueError(f"there is no metric {index}: there are {len(self.metrics)}")
        found: EvalMetric = self.metrics[index]
        return found

    def update_dict(self, labels: Mapping[str, Any], preds: Mapping[str, Any]) -> None:
        """Update all from labels and predictions by name."""
        if self.label_names is not None:
            labels = {name: value for name, value in labels.items() if name in self.label_names}
        if self.output_names is not None:
            preds = {name: value for name, value in preds.items() if name in self.output_names}
        for metric in self.metrics:
            metric.update_dict(labels, preds)

    def update(self, labels: Any, preds: Any) -> None:
        """Update all."""
        for metric in self.metrics:
            metric.update(labels, preds)

    def reset(self) -> None:
        """Reset all."""
        for metric in self.metrics:
            metric.reset()

    def reset_local(self) -> None:
        """Reset all but the global figures."""
        for metric in self.metrics:
            metric.reset_local()

    def get(self) -> tuple[list[str], list[float]]:
        """Return the names and values of all."""
        return self._collected("get_name_value")

    def get_global(self) -> tuple[list[str], list[float]]:
        """Return the names and values of all since the last `reset`."""
        return self._collected("get_global_name_value")

    def _collected(self, method: str) -> tuple[list[str], list[float]]:
        pairs = [pair for metric in self.metrics for pair in getattr(metric, method)()]
        return [name for name, _ in pairs], [value for _, value in pairs]

    def get_config(self) -> dict[str, Any]:
        """Return what `create` needs to make an equal metric."""
        return {**super().get_config(), "metrics": [one.get_config() for one in self.metrics]}


@register
class CustomMetric(EvalMetric):
    """A metric given by a function.

    Parameters
    ----------
    feval : takes labels and predictions as NumPy arrays; returns a number, or a sum and a count
    name : its name; the function's name by default
    allow_extra_outputs : whether there may be more predictions than labels
    output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self,
        feval: Callable[[Numbers, Numbers], Any],
        name: str | None = None,
        allow_extra_outputs: bool = False,
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        if name is None:
            name = getattr(feval, "__name__", type(feval).__name__)
            name = f"custom({name})" if "<" in name else name
        super().__init__(name, output_names, label_names, has_global_stats=True)
        self._feval, self._allow_extra_outputs = feval, allow_extra_outputs

    def update(self, labels: Any, preds: Any) -> None:
        """Update from labels and predictions: arrays, or lists of arrays."""
        if not self._allow_extra_outputs:
            labels, preds = check_label_shapes(labels, preds, wrap=True)
        for label, pred in zip(labels, preds, strict=False):
            found = self._feval(as_numbers(label), as_numbers(pred))
            self._add(*(found if isinstance(found, tuple) else (found, 1)))

    def get_config(self) -> dict[str, Any]:
        """Raise an error: a function cannot be written as JSON."""
        raise NotImplementedError(f"CustomMetric {self.name!r} cannot be serialized")


def np(
    numpy_feval: Callable[[Numbers, Numbers], Any],
    name: str | None = None,
    allow_extra_outputs: bool = False,
) -> CustomMetric:
    """Make a metric from a function of NumPy arrays; see `CustomMetric`.

    Parameters
    ----------
    numpy_feval : the function of labels and predictions, which gives a number, or a sum and a count
    name : the metric's name, by default the function's
    allow_extra_outputs : whether there may be more predictions than labels
    """
    return CustomMetric(numpy_feval, name, allow_extra_outputs)
