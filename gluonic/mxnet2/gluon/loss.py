"""Losses of MXNet 2.0: those of 1.x, each one number for a sample."""

from typing import Any

from gluonic.gluon import loss
from gluonic.mxnet2.gluon.block import of_two
from gluonic.mxnet2.gluon.layers import members_of_two

_TripletLoss: Any = of_two(loss.TripletLoss)


class TripletLossOfTwo(_TripletLoss):  # type: ignore[misc]
    """1.x's loss, with weights of samples; see `TripletLoss` there for the arguments."""

    def forward(self, pred: Any, positive: Any, negative: Any, sample_weight: Any = None) -> Any:
        """Compare; both others are reshaped like `pred`, and the result is multiplied by `sample_weight`."""
        each = super().forward(pred, positive, negative)
        return each if sample_weight is None else each * sample_weight


class _MeanOfEach:
    """A loss that is the mean over all axes but that of the batch."""

    _batch_axis: Any

    def _reduced(self, F: Any, loss: Any) -> Any:
        return F.mean(loss, axis=self._batch_axis, exclude=True)


def _mean_of_each(kind: Any) -> Any:
    members = {"__module__": __name__, "__doc__": kind.__doc__}
    return type(kind.__name__, (_MeanOfEach, of_two(kind)), members)


_members = members_of_two(loss, __name__)
_members["TripletLoss"] = TripletLossOfTwo
TripletLossOfTwo.__name__ = TripletLossOfTwo.__qualname__ = "TripletLoss"
for _name in ("CosineEmbeddingLoss", "PoissonNLLLoss"):
    _members[_name] = _mean_of_each(getattr(loss, _name))
globals().update(_members)
__all__ = [*_members]
