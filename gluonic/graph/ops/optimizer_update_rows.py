"""Steps of optimizers that in MXNet update only the rows that a sparse gradient stores."""

from gluonic.graph import updates
from gluonic.graph.axes import require_rank
from gluonic.graph.operator import Array, State
from gluonic.graph.update_operators import all_but, update_operator
from gluonic.graph.view import NodeView, title_of


@update_operator("_sparse_adagrad_update", updates.ada_grad)
def sparse_adagrad_update(
    weight: Array,
    grad: Array,
    history: State,
    *,
    lr: float,
    epsilon: float = 1e-7,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> None:
    """A step of AdaGrad; with a row_sparse gradient, only in the rows that it stores.

    The squared gradient is added to `history`; the new weight is
    ``weight - lr * grad / sqrt(history + epsilon)`` (Duchi, Hazan and Singer, 2011).

    Parameters
    ----------
    history : like the weight, updated in place
    epsilon : float, default 1e-7
        Added to the history.
    wd : float, default 0
        Weight decay; MXNet has none here.
    """


def _a_history_a_row(n: NodeView) -> None:
    """The weight and its gradient are matrices of one shape; the history has a number for each row."""
    all_but("history")(n)
    require_rank(n.weight, (2,), f"{title_of(n)}: weight")
    n.history = (n.weight[0], 1)


@update_operator("_contrib_group_adagrad_update", updates.group_ada_grad, shape=_a_history_a_row)
def group_adagrad_update(
    weight: Array,
    grad: Array,
    history: State,
    *,
    lr: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    epsilon: float = 1e-5,
) -> None:
    """A step of AdaGrad with one step size for each row.

    The mean of each row's squared gradients is added to `history`; the new weight is
    ``weight - lr * grad / sqrt(history + epsilon)`` (Duchi, Hazan and Singer, 2011).

    Parameters
    ----------
    weight, grad : (rows, columns)
    history : (rows, 1), updated in place
    lr, rescale_grad, clip_gradient
        As for all updates.
    epsilon : float, default 1e-5
        Added to the history.
    """
