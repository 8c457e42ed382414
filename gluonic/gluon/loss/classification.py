"""Losses of classes, probabilities and label sequences."""

from typing import Any

from gluonic.gluon.loss.base import TINY, Loss, reshape_like, softplus_of_minus_abs
from gluonic.graph.attributes import Axes
from gluonic.graph.errors import AttributeValueError


class SigmoidBinaryCrossEntropyLoss(Loss):
    """Cross entropy of independent yes-or-no labels: ``-label·log(p) - (1 - label)·log(1 - p)``.

    Parameters
    ----------
    from_sigmoid : whether the predictions are already probabilities; otherwise a sigmoid is applied first,
        which is more accurate
    weight, batch_axis, kwargs : see `Loss`
    """

    def __init__(
        self,
        from_sigmoid: bool = False,
        weight: float | None = None,
        batch_axis: Axes = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_sigmoid = from_sigmoid

    def hybrid_forward(
        self, F: Any, pred: Any, label: Any, sample_weight: Any = None, pos_weight: Any = None
    ) -> Any:
        """Compare; `pos_weight` multiplies the loss of positive labels."""
        of = self._of_probabilities if self._from_sigmoid else self._of_logits
        loss = of(F, pred, reshape_like(F, label, pred), pos_weight)
        return self._mean(F, loss, sample_weight)

    def _of_logits(self, F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        if pos_weight is None:
            return F.relu(pred) - pred * label + softplus_of_minus_abs(F, pred)
        factor = 1 + F.broadcast_mul(pos_weight - 1, label)
        return pred - pred * label + factor * (softplus_of_minus_abs(F, pred) + F.relu(-pred))

    def _of_probabilities(self, F: Any, pred: Any, label: Any, pos_weight: Any) -> Any:
        positive = F.log(pred + TINY) * label
        if pos_weight is not None:
            positive = F.broadcast_mul(positive, pos_weight)
        return -(positive + F.log(1.0 - pred + TINY) * (1.0 - label))


SigmoidBCELoss = SigmoidBinaryCrossEntropyLoss


class SoftmaxCrossEntropyLoss(Loss):
    """Cross entropy of labels that exclude each other: ``-log softmax(pred)[label]``.

    Parameters
    ----------
    axis : the axis of the classes
    sparse_label : whether labels are class numbers; otherwise probabilities shaped like `pred`
    from_logits : whether the predictions are logarithms of probabilities already
    weight, batch_axis, kwargs : see `Loss`
    """

    def __init__(
        self,
        axis: int = -1,
        sparse_label: bool = True,
        from_logits: bool = False,
        weight: float | None = None,
        batch_axis: Axes = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._axis, self._sparse_label, self._from_logits = axis, sparse_label, from_logits

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Compare."""
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        if self._sparse_label:
            loss = -F.pick(pred, label, axis=self._axis, keepdims=True)
        else:
            label = reshape_like(F, label, pred)
            loss = -F.sum(pred * label, axis=self._axis, keepdims=True)
        return self._mean(F, loss, sample_weight)


SoftmaxCELoss = SoftmaxCrossEntropyLoss


class KLDivLoss(Loss):
    """The Kullback-Leibler divergence ``label · (log(label) - pred)``, summed over each sample.

    Parameters
    ----------
    from_logits : whether the predictions are logarithms of probabilities already
    axis : the axis of the softmax otherwise
    weight, batch_axis, kwargs : see `Loss`
    """

    def __init__(
        self,
        from_logits: bool = True,
        axis: int = -1,
        weight: float | None = None,
        batch_axis: Axes = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._from_logits, self._axis = from_logits, axis

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Compare two distributions."""
        if not self._from_logits:
            pred = F.log_softmax(pred, axis=self._axis)
        loss = self._weighted(F, label * (F.log(label + TINY) - pred), sample_weight)
        return F.sum(loss, axis=self._batch_axis, exclude=True)


class CTCLoss(Loss):
    """Connectionist temporal classification (Graves et al., 2006): labels without an alignment.

    The last class is the blank; shorter labels are padded with -1.

    Parameters
    ----------
    layout : the order of batch (N), time (T) and classes (C) in the predictions
    label_layout : the order of batch and position in the labels
    weight, kwargs : see `Loss`
    """

    def __init__(
        self,
        layout: str = "NTC",
        label_layout: str = "NT",
        weight: float | None = None,
        **kwargs: Any,
    ) -> None:
        for given, known in ((layout, ("NTC", "TNC")), (label_layout, ("NT", "TN"))):
            if given not in known:
                raise AttributeValueError(
                    f"CTCLoss: the layout must be {' or '.join(known)}, not {given!r}"
                )
        super().__init__(weight, label_layout.find("N"), **kwargs)
        self._layout, self._label_layout = layout, label_layout

    def hybrid_forward(
        self,
        F: Any,
        pred: Any,
        label: Any,
        pred_lengths: Any = None,
        label_lengths: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        """Compare; both kinds of lengths have the shape ``(batch,)``."""
        if self._layout == "NTC":
            pred = F.swapaxes(pred, 0, 1)
        if self._label_layout == "TN":
            label = F.swapaxes(label, 0, 1)
        loss = F.CTCLoss(
            pred,
            label,
            pred_lengths,
            label_lengths,
            use_data_lengths=pred_lengths is not None,
            use_label_lengths=label_lengths is not None,
            blank_label="last",
        )
        return self._weighted(F, loss, sample_weight)


class HingeLoss(Loss):
    """``max(0, margin - pred · label)`` for labels of -1 and 1.

    Parameters
    ----------
    margin : the value of ``pred · label`` from which the loss is zero
    weight, batch_axis, kwargs : see `Loss`
    """

    def __init__(
        self,
        margin: float = 1,
        weight: float | None = None,
        batch_axis: Axes = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Compare; `label` is reshaped like `pred`."""
        return self._mean(F, self._hinge(F, pred, label), sample_weight)

    def _hinge(self, F: Any, pred: Any, label: Any) -> Any:
        return F.relu(self._margin - pred * reshape_like(F, label, pred))


class SquaredHingeLoss(HingeLoss):
    """``max(0, margin - pred · label)²`` for labels of -1 and 1.

    Parameters
    ----------
    margin : the value of ``pred · label`` from which the loss is zero
    weight, batch_axis, kwargs : see `Loss`
    """

    def _hinge(self, F: Any, pred: Any, label: Any) -> Any:
        return F.square(super()._hinge(F, pred, label))


class LogisticLoss(Loss):
    """``log(1 + exp(-pred · label))``.

    Parameters
    ----------
    label_format : ``"signed"`` for labels of -1 and 1, ``"binary"`` for 0 and 1
    weight, batch_axis, kwargs : see `Loss`
    """

    def __init__(
        self,
        weight: float | None = None,
        batch_axis: Axes = 0,
        label_format: str = "signed",
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        if label_format not in ("signed", "binary"):
            raise AttributeValueError(
                f"LogisticLoss: label_format must be 'signed' or 'binary', not {label_format!r}"
            )
        self._label_format = label_format

    def hybrid_forward(self, F: Any, pred: Any, label: Any, sample_weight: Any = None) -> Any:
        """Compare; `label` is reshaped like `pred`."""
        label = reshape_like(F, label, pred)
        if self._label_format == "signed":
            label = (label + 1.0) / 2.0
        loss = F.relu(pred) - pred * label + softplus_of_minus_abs(F, pred)
        return self._mean(F, loss, sample_weight)
