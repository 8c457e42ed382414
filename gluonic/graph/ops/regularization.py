"""A penalty on activations that are not sparse."""

from collections.abc import Sequence
from typing import Any

from gluonic.graph.axes import require_rank
from gluonic.graph.operator import Array, Run, State, operator
from gluonic.graph.ops.layer_rules import both_ways, floating, wide
from gluonic.graph.summation import total_like
from gluonic.graph.view import NodeView, is_training, title_of


@operator(
    "IdentityAttachKLSparseReg",
    outputs=("output", "average"),
    visible=1,
    dtype=floating(),
    is_loss=True,
)
def identity_attach_kl_sparse_reg(
    data: Array,
    moving_avg: State,
    *,
    sparseness_target: float = 0.1,
    penalty: float = 0.001,
    momentum: float = 0.9,
    run: Run,
) -> Any:
    """The identity, with the gradient of a penalty on mean activations that differ from a target.

    ``penalty * ((1 - target) / (1 - mean) - target / mean)`` is added to the gradient. This is the
    derivative of the KL divergence between target and mean, as probabilities that a unit is active.
    The mean is a running mean over batches. It must be between 0 and 1, as after a logistic function.

    Parameters
    ----------
    data : array of shape (batch, units)
        Activations.
    moving_avg : array of shape (units,)
        Auxiliary state: the running means, updated in place in training.
    sparseness_target : float, default 0.1
        The target mean.
    penalty : float, default 0.001
        The weight of the penalty.
    momentum : float, default 0.9
        The decay rate of the running means.
    """
    if run.train:
        moving_avg *= momentum
        moving_avg += (1 - momentum) * total_like(wide(data), (0,)) / max(1, len(data))
    return data, moving_avg.copy()


@identity_attach_kl_sparse_reg.infer_shape
def _(n: NodeView) -> None:
    both_ways(n, "data", "output")
    require_rank(n.data, (2,), f"{title_of(n)}: data")
    n.moving_avg = n.average = n.data[1:]


@identity_attach_kl_sparse_reg.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    g, average_gradient = heads
    parts = []
    if g is not None:
        target = n.sparseness_target
        gradient = ((1 - target) / (1 - n.average) - target / n.average) * n.penalty
        parts.append(F.broadcast_add(g, F.expand_dims(gradient, axis=0)))
    if average_gradient is not None and is_training(n):
        share = average_gradient * (1 - n.momentum)
        parts.append(F._backward_mean(share, n.data, axis=0))
    return {"data": F.add_n(*parts)} if parts else {}
