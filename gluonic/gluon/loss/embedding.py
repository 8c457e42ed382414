"""Losses on distances between vectors."""

from typing import Any

from gluonic.gluon.loss.base import TINY, Loss, reshape_like
from gluonic.gluon.loss.classification import KLDivLoss
from gluonic.graph.attributes import Axes


class TripletLoss(Loss):
    """``max(0, |positive - pred|² - |negative - pred|² + margin)``: nearer to one than to another.

    Parameters
    ----------
    margin : the difference of squared distances from which the loss is zero
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

    def hybrid_forward(self, F: Any, pred: Any, positive: Any, negative: Any) -> Any:
        """Compare; both others are reshaped like `pred`."""
        near = F.square(reshape_like(F, positive, pred) - pred)
        far = F.square(reshape_like(F, negative, pred) - pred)
        gap = F.sum(near - far, axis=self._batch_axis, exclude=True)
        return self._weighted(F, F.relu(gap + self._margin))


class CosineEmbeddingLoss(Loss):
    """``1 - cos`` for labels of 1, ``max(0, cos - margin)`` for -1; of shape ``(batch, 1)``.

    Parameters
    ----------
    margin : the cosine below which pairs labelled -1 have no loss
    weight, batch_axis, kwargs : see `Loss`
    """

    def __init__(
        self,
        weight: float | None = None,
        batch_axis: Axes = 0,
        margin: float = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self._margin = margin

    def hybrid_forward(
        self, F: Any, input1: Any, input2: Any, label: Any, sample_weight: Any = None
    ) -> Any:
        """Compare two arrays of vectors ``(batch, n)``; labels are 1 or -1."""
        cosine = self._cosine(F, reshape_like(F, input1, input2), input2)
        label = F.reshape(label, shape=(-1, 1))
        friends = (1 - cosine) * (label == 1)
        strangers = F.relu((label == -1) * (cosine - self._margin))
        return self._reduced(F, self._weighted(F, friends + strangers, sample_weight))

    def _reduced(self, F: Any, loss: Any) -> Any:
        return loss

    def _cosine(self, F: Any, x: Any, y: Any) -> Any:
        lengths = F.norm(x, axis=-1) * F.norm(y, axis=-1)
        cosine = F.sum(x * y, axis=-1) / F.maximum(lengths, TINY)
        return F.reshape(cosine, shape=(-1, 1))


class SDMLLoss(Loss):
    """Smoothed deep metric learning (Bonadiman et al., 2019): each row's partner among the batch.

    Rows ``i`` of both inputs match; all other pairs do not.

    Parameters
    ----------
    smoothing_parameter : the probability assigned to the wrong partners, from 0 to 1
    weight, batch_axis, kwargs : see `Loss`
    """

    def __init__(
        self,
        smoothing_parameter: float = 0.3,
        weight: float = 1.0,
        batch_axis: Axes = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(weight, batch_axis, **kwargs)
        self.kl_loss = KLDivLoss(from_logits=True)
        self.smoothing_parameter = smoothing_parameter

    def hybrid_forward(self, F: Any, x1: Any, x2: Any) -> Any:
        """Compare two arrays of vectors ``(batch, n)``."""
        gaps = F.broadcast_sub(F.expand_dims(x1, axis=1), F.expand_dims(x2, axis=0))
        distances = F.sum(F.square(gaps), axis=2)
        return self.kl_loss(F.log_softmax(-distances, axis=1), self._partners(F, distances))

    def _partners(self, F: Any, distances: Any) -> Any:
        number = F.contrib.arange_like(distances, axis=0)
        right = F.broadcast_equal(
            F.reshape(number, shape=(-1, 1)), F.reshape(number, shape=(1, -1))
        )
        wrong = 1 - right
        share = F.broadcast_div(wrong, F.sum(wrong, axis=1, keepdims=True))
        return right * (1 - self.smoothing_parameter) + share * self.smoothing_parameter
