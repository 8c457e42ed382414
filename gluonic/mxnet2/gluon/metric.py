"""``mx.gluon.metric`` of MXNet 2.0: 1.x's metrics, and those that 2.0 adds or changes."""

import json
from collections.abc import Sequence
from typing import Any, Literal

import numpy

from gluonic import metric as of_one
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.metric.averages import Loss, Torch
from gluonic.metric.base import (
    CompositeEvalMetric,
    CustomMetric,
    EvalMetric,
    Names,
    Numbers,
    alias,
    as_numbers,
    check_label_shapes,
    np,
    register,
)
from gluonic.metric.classification import Accuracy, NegativeLogLikelihood, TopKAccuracy
from gluonic.metric.confusion import PCC
from gluonic.metric.regression import MAE, MSE, RMSE
from gluonic.mxnet2.gluon.changed_metrics import (
    MCC,
    CrossEntropy,
    PearsonCorrelation,
    Perplexity,
    pairs_of,
)
from gluonic.ndarray import NDArray

__all__ = [
    "F1", "MAE", "MCC", "MSE", "PCC", "RMSE", "Accuracy", "BinaryAccuracy", "CompositeEvalMetric",
    "CrossEntropy",
    "CustomMetric", "EvalMetric", "Fbeta", "Loss", "MeanCosineSimilarity", "MeanPairwiseDistance",
    "NegativeLogLikelihood", "PearsonCorrelation", "Perplexity", "TopKAccuracy", "Torch", "alias",
    "check_label_shapes", "create", "np", "one_hot", "predict_with_threshold", "register",
]  # fmt: skip

ClassType = Literal["binary", "multiclass", "multilabel"]


def predict_with_threshold(pred: Any, threshold: Any = 0.5) -> Any:
    """Return whether predictions are greater than a threshold, or than that of their class.

    Parameters
    ----------
    pred : an array; with an array of thresholds, its last axis is that of the classes
    threshold : a number, or an array of one for each class
    """
    if isinstance(threshold, (int, float)):
        return pred > threshold
    if not isinstance(threshold, (numpy.ndarray, NDArray)):
        raise AttributeValueError(
            f"predict_with_threshold: threshold is a number or an array, not {threshold!r}"
        )
    if threshold.shape[-1:] != pred.shape[-1:]:
        raise AttributeValueError(
            describe(
                "there is not one threshold for each class",
                where="predict_with_threshold",
                facts=[f"predictions {pred.shape}, thresholds {threshold.shape}"],
            )
        )
    return pred > threshold


def one_hot(idx: Any, num: int) -> Any:
    """Return rows of zeros with a one at the index of each class."""
    return (numpy.arange(num) == as_numbers(idx)[:, None]).astype("int32")


class Fbeta(EvalMetric):
    """The weighted harmonic mean of precision and recall, over all updates.

    Parameters
    ----------
    name, output_names, label_names : see `EvalMetric`
    class_type : ``"binary"``: labels of 0 and 1; ``"multiclass"``: labels are classes; ``"multilabel"``: each
        sample has a label of 0 or 1 for each class
    beta : the weight of recall
    threshold : from which probability on a prediction counts as positive
    average : ``"micro"`` counts all classes together, ``"macro"`` is the mean over classes, None is a list
    """

    def __init__(
        self,
        name: str = "fbeta",
        output_names: Names = None,
        label_names: Names = None,
        class_type: ClassType = "binary",
        beta: float = 1,
        threshold: Any = 0.5,
        average: Literal["micro", "macro"] | None = "micro",
    ) -> None:
        if class_type not in ("binary", "multiclass", "multilabel"):
            raise AttributeValueError(
                f"{type(self).__name__}: class_type must be 'binary', 'multiclass' or 'multilabel', "
                f"not {class_type!r}"
            )
        self.class_type, self.beta, self.threshold, self.average = (
            class_type,
            beta,
            threshold,
            average,
        )
        settings = {"class_type": class_type, "threshold": threshold, "average": average}
        if type(self) is Fbeta:
            settings["beta"] = beta
        super().__init__(name, output_names, label_names, **settings)

    def reset(self) -> None:
        """Forget everything."""
        self._hits: Any = 0.0
        self._said: Any = 0.0
        self._true: Any = 0.0
        super().reset()

    def update(self, labels: Any, preds: Any) -> None:
        """Count the labels that are true, those that were predicted, and those that are both."""
        for label, pred in pairs_of(labels, preds):
            is_true, is_said = self._decided(label.astype("int64"), pred)
            self._hits = self._hits + (is_true & is_said).sum(axis=0)
            self._said = self._said + is_said.sum(axis=0)
            self._true = self._true + is_true.sum(axis=0)
            self.num_inst += len(is_true)
        self.sum_metric = self._score() * self.num_inst

    def _decided(self, label: Numbers, pred: Numbers) -> tuple[Numbers, Numbers]:
        """Whether each label is true and whether it was predicted, a column for each class."""
        if self.class_type == "binary":
            if label.max(initial=0) > 1:
                raise AttributeValueError(
                    describe("labels of two classes are 0 and 1", where=type(self).__name__)
                )
            if pred.shape != label.shape and pred.shape[-1] == 2:
                pred = pred.reshape(-1, 2)[:, 1]
            said = predict_with_threshold(pred, self.threshold)
            return label.reshape(-1, 1) == 1, said.reshape(-1, 1)
        classes = pred.shape[-1]
        if self.class_type == "multilabel":
            said = predict_with_threshold(pred, self.threshold)
            return label.reshape(-1, classes) == 1, said.reshape(-1, classes)
        best = pred.argmax(axis=-1).reshape(-1)
        return one_hot(label.reshape(-1), classes) == 1, one_hot(best, classes) == 1

    def _score(self) -> Any:
        hits, said, true = (numpy.asarray(x) for x in (self._hits, self._said, self._true))
        if self.average == "micro":
            hits, said, true = hits.sum(), said.sum(), true.sum()
        weight = self.beta**2
        scores = (1 + weight) * hits / numpy.maximum(weight * true + said, 1e-12)
        return scores.mean() if self.average == "macro" else scores


class F1Score(Fbeta):
    """The harmonic mean of precision and recall, over all updates.

    Parameters
    ----------
    name, output_names, label_names : see `EvalMetric`
    class_type, threshold, average : see `Fbeta`
    """

    def __init__(
        self,
        name: str = "f1",
        output_names: Names = None,
        label_names: Names = None,
        class_type: ClassType = "binary",
        threshold: Any = 0.5,
        average: Literal["micro", "macro"] | None = "micro",
    ) -> None:
        super().__init__(name, output_names, label_names, class_type, 1, threshold, average)


class BinaryAccuracy(EvalMetric):
    """The share of right predictions of labels that are 0 or 1.

    Parameters
    ----------
    name, output_names, label_names : see `EvalMetric`
    threshold : from which probability on a prediction counts as 1, a number or an array for the classes
    """

    def __init__(
        self,
        name: str = "binary_accuracy",
        output_names: Names = None,
        label_names: Names = None,
        threshold: Any = 0.5,
    ) -> None:
        self.threshold = threshold
        super().__init__(name, output_names, label_names, threshold=threshold)

    def update(self, labels: Any, preds: Any) -> None:
        """Compare each prediction with its label."""
        limit = (
            as_numbers(self.threshold) if isinstance(self.threshold, NDArray) else self.threshold
        )
        for label, pred in pairs_of(labels, preds):
            said = predict_with_threshold(pred, limit).reshape(-1)
            self._add(float((said == (label.reshape(-1) == 1)).sum()), said.size)


class MeanPairwiseDistance(EvalMetric):
    """The mean distance between predictions and labels.

    Parameters
    ----------
    name, output_names, label_names : see `EvalMetric`
    p : the order of the norm
    """

    def __init__(
        self,
        name: str = "mpd",
        output_names: Names = None,
        label_names: Names = None,
        p: float = 2,
    ) -> None:
        self.p = p
        super().__init__(name, output_names, label_names, p=p)

    def update(self, labels: Any, preds: Any) -> None:
        """Measure the distance of each sample."""
        for label, pred in pairs_of(labels, preds):
            gaps = numpy.abs(label - pred).reshape(len(label), -1)
            self._add(float(((gaps**self.p).sum(axis=-1) ** (1 / self.p)).sum()), len(label))


class MeanCosineSimilarity(EvalMetric):
    """The mean cosine of the angle between predictions and labels.

    Parameters
    ----------
    name, output_names, label_names : see `EvalMetric`
    eps : the least product of norms that is divided by
    """

    def __init__(
        self,
        name: str = "cos_sim",
        output_names: Names = None,
        label_names: Names = None,
        eps: float = 1e-8,
    ) -> None:
        self.eps = eps
        super().__init__(name, output_names, label_names, eps=eps)

    def update(self, labels: Any, preds: Any) -> None:
        """Measure the angles between vectors along the last axis."""
        for label, pred in pairs_of(labels, preds):
            x, y = (v.reshape(-1, v.shape[-1]) for v in (label, pred))
            norms = numpy.linalg.norm(x, axis=-1) * numpy.linalg.norm(y, axis=-1)
            self._add(float(((x * y).sum(axis=-1) / numpy.maximum(norms, self.eps)).sum()), len(x))


class CompositeEvalMetricOfTwo(CompositeEvalMetric):
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
        super().__init__([create(one) for one in metrics or ()], name, output_names, label_names)


F1 = F1Score
CompositeEvalMetric = CompositeEvalMetricOfTwo  # type: ignore[misc]
for _name in ("F1", "CompositeEvalMetric"):
    globals()[_name].__name__ = globals()[_name].__qualname__ = _name
_KINDS = (
    F1, Fbeta, BinaryAccuracy, MeanPairwiseDistance, MeanCosineSimilarity, CrossEntropy, Perplexity, MCC,
    PearsonCorrelation, CompositeEvalMetric,
)  # fmt: skip
_OWN = {kind.__name__.lower(): kind for kind in _KINDS}
_OWN |= {"ce": CrossEntropy, "pearsonr": PearsonCorrelation, "composite": CompositeEvalMetric}


def create(metric: Any, *args: Any, **kwargs: Any) -> Any:
    """Make a metric.

    Parameters
    ----------
    metric : a name, a metric (returned as it is), a list of these, a configuration, or a function of labels and
        predictions as NumPy arrays
    args, kwargs : for the constructor
    """
    if isinstance(metric, str) and metric.startswith("{"):
        metric = json.loads(metric)
    if isinstance(metric, dict):
        return create(**metric)
    if isinstance(metric, list):
        return CompositeEvalMetric([create(one, *args, **kwargs) for one in metric])
    if isinstance(metric, str) and metric.lower() in _OWN:
        return _OWN[metric.lower()](*args, **kwargs)
    return of_one.create(metric, *args, **kwargs)
