"""Metrics of MXNet 1.x that 2.0 has changed: of probabilities, and correlations over all updates."""

from collections.abc import Iterator
from typing import Any

import numpy
from scipy.special import softmax

from gluonic.metric import confusion, regression
from gluonic.metric.base import EvalMetric, Names, Numbers, as_numbers, check_label_shapes

__all__ = ["MCC", "CrossEntropy", "PearsonCorrelation", "Perplexity"]


def pairs_of(labels: Any, preds: Any) -> Iterator[tuple[Numbers, Numbers]]:
    """Labels and predictions, as arrays of NumPy."""
    labels, preds = check_label_shapes(labels, preds, wrap=True)
    for label, pred in zip(labels, preds, strict=True):
        yield as_numbers(label), as_numbers(pred)


class CrossEntropyOfTwo(EvalMetric):
    """The mean of the negative logarithm of the probability of the right class.

    Parameters
    ----------
    eps : the least probability whose logarithm is taken
    ignore_label : the label to ignore; None: all count
    axis : the axis of the classes
    from_logits : whether predictions are logits, whose softmax is the probabilities
    name, output_names, label_names : see `EvalMetric`
    """

    def __init__(
        self,
        eps: float = 1e-12,
        ignore_label: int | None = None,
        axis: int = -1,
        from_logits: bool = False,
        name: str = "cross-entropy",
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        self.eps, self.ignore_label, self.axis, self.from_logits = (
            eps,
            ignore_label,
            axis,
            from_logits,
        )
        settings = {
            "eps": eps,
            "ignore_label": ignore_label,
            "axis": axis,
            "from_logits": from_logits,
        }
        super().__init__(name, output_names, label_names, **settings)

    def update(self, labels: Any, preds: Any) -> None:
        """Sum up the negative logarithms."""
        for label, pred in pairs_of(labels, preds):
            of_classes = numpy.moveaxis(pred, self.axis, -1).reshape(-1, pred.shape[self.axis])
            right = label.astype(numpy.int64).reshape(-1)
            check_label_shapes(right, of_classes)
            if self.ignore_label is not None:
                counts = right != self.ignore_label
                of_classes, right = of_classes[counts], right[counts]
            chances = softmax(of_classes, axis=-1) if self.from_logits else of_classes
            chosen = chances[numpy.arange(len(right)), right]
            self._add(float(-numpy.log(numpy.maximum(self.eps, chosen)).sum()), len(right))


class PerplexityOfTwo(CrossEntropyOfTwo):
    """The exponential of `CrossEntropy`.

    Parameters
    ----------
    eps, ignore_label, axis, from_logits, name, output_names, label_names : as there
    """

    def __init__(
        self,
        eps: float = 1e-12,
        ignore_label: int | None = None,
        axis: int = -1,
        from_logits: bool = False,
        name: str = "perplexity",
        output_names: Names = None,
        label_names: Names = None,
    ) -> None:
        super().__init__(eps, ignore_label, axis, from_logits, name, output_names, label_names)

    def get(self) -> tuple[Any, Any]:
        """Return name and value."""
        name, entropy = super().get()
        return name, float(numpy.exp(entropy))


def _of_all_pairs(kind: Any, usual_name: str) -> Any:
    """A metric of 1.x that counts all updates together, which is one of its averages there."""

    def __init__(
        self: Any, name: str = usual_name, output_names: Names = None, label_names: Names = None
    ) -> None:
        kind.__init__(self, name, output_names, label_names, "micro")
        self._kwargs = {}

    members = {"__init__": __init__, "__module__": __name__, "__doc__": _DOC[kind.__name__]}
    return type(kind.__name__, (kind,), members)


_DOC = {
    name: f"{meaning}, over all updates.\n\n"
    "Parameters\n----------\nname, output_names, label_names : see `EvalMetric`\n"
    for name, meaning in {
        "MCC": "Matthews' correlation coefficient, of two classes",
        "PearsonCorrelation": "Pearson's correlation of labels and predictions",
    }.items()
}
MCC = _of_all_pairs(confusion.MCC, "mcc")
PearsonCorrelation = _of_all_pairs(regression.PearsonCorrelation, "pearsonr")
CrossEntropy, Perplexity = CrossEntropyOfTwo, PerplexityOfTwo
for _kind, _name in ((CrossEntropy, "CrossEntropy"), (Perplexity, "Perplexity")):
    _kind.__name__ = _kind.__qualname__ = _name
