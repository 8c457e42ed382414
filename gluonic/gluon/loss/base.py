"""The base of all losses."""

from typing import Any

from gluonic.gluon.layer import Layer
from gluonic.graph.attributes import Axes
from gluonic.graph.checking import CHECKING

TINY = 1e-12


def apply_weighting(
    F: Any, loss: Any, weight: float | None = None, sample_weight: Any = None
) -> Any:
    """Multiply a loss by the weights of its samples, an array that broadcasts, and by a number."""
    if sample_weight is not None:
        loss = F.broadcast_mul(loss, sample_weight)
    return loss if weight is None else loss * weight


def reshape_like(F: Any, x: Any, y: Any) -> Any:
    """Reshape `x` like `y`; with ``GLUONIC_CHECK=1`` their shapes must already be equal."""
    return F._internal._identity_with_attr_like_rhs(x, y) if CHECKING else F.reshape_like(x, y)


class Loss(Layer):
    """The base of all losses; a new one overrides `hybrid_forward`.

    Parameters
    ----------
    weight : a number that multiplies the loss; None: 1
    batch_axis : the axis of the samples
    kwargs : see `Block`
    """

    def __init__(self, weight: float | None, batch_axis: Axes, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._weight, self._batch_axis = weight, batch_axis

    def __repr__(self) -> str:
        return f"{type(self).__name__}(batch_axis={self._batch_axis}, w={self._weight})"

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the loss; to be overridden."""
        raise NotImplementedError(f"{type(self).__name__} must override hybrid_forward")

    def _weighted(self, F: Any, loss: Any, sample_weight: Any = None) -> Any:
        """Multiply by the sample weights and the loss's weight."""
        return apply_weighting(F, loss, self._weight, sample_weight)

    def _mean(self, F: Any, loss: Any, sample_weight: Any) -> Any:
        """Average the weighted loss over all axes but the batch's."""
        loss = self._weighted(F, loss, sample_weight)
        return F.mean(loss, axis=self._batch_axis, exclude=True)


def softplus_of_minus_abs(F: Any, x: Any) -> Any:
    """Compute ``log(1 + exp(-|x|))``, which cannot overflow."""
    return F.Activation(-F.abs(x), act_type="softrelu")
