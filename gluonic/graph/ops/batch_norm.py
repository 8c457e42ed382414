"""Batch normalization."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from gluonic.graph.axes import axis_of, replaced
from gluonic.graph.operator import Array, LayerWeights, Run, State, operator
from gluonic.graph.ops.layer_rules import both_ways, require_floating, set_all, wide
from gluonic.graph.ops.rank_moments import rank_moments
from gluonic.graph.ops.standardization import Standardization, moments
from gluonic.graph.over_ranks import spans_ranks
from gluonic.graph.view import NodeView, is_training, put, settings_of, title_of


def normalize(
    arrays: Sequence[Array],
    run: Run,
    *,
    eps: float,
    momentum: float,
    fix_gamma: bool,
    use_global_stats: bool,
    axis: int = 1,
    over_ranks: str | None = None,
) -> tuple[Array, Array, Array, Array]:
    """The output, the mean, the variance and one over the deviation, by channel.

    The statistics of a batch are those of all ranks where `over_ranks` names the layer.
    """
    data, gamma, beta, moving_mean, moving_var = arrays
    numbers = wide(data)
    shape = [-1 if i == axis % data.ndim else 1 for i in range(data.ndim)]
    if run.train and not use_global_stats:
        others = tuple(i for i in range(data.ndim) if i != axis % data.ndim)
        if over_ranks is None:
            centred, mean, variance = moments(numbers, others)
        else:
            centred, mean, variance = rank_moments(numbers, others, over_ranks)
        for state, statistic in ((moving_mean, mean), (moving_var, variance)):
            state *= momentum
            state += (1 - momentum) * statistic.ravel()
    else:
        mean, variance = moving_mean.reshape(shape), moving_var.reshape(shape)
        centred = numbers - mean
    inverse = 1 / np.sqrt(variance + eps)
    centred *= inverse if fix_gamma else inverse * gamma.reshape(shape)
    centred += beta.reshape(shape)
    return centred, mean.flatten(), variance.flatten(), inverse.flatten()


@operator(
    "BatchNorm",
    "_npx_batch_norm",
    outputs=("output", "mean", "var"),
    visible=lambda n: 3 if n.output_mean_var else 1,
)
def batch_norm(
    data: Array,
    gamma: LayerWeights,
    beta: Array,
    moving_mean: State,
    moving_var: State,
    *,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    run: Run,
) -> Any:
    """Standardize every channel over the batch, then scale and shift it.

    ``(data - mean) / sqrt(var + eps) * gamma + beta``, with the mean and the variance of the batch
    in training, with their running averages otherwise (arXiv:1502.03167).

    Parameters
    ----------
    data : array
        Any shape with a channel axis.
    gamma, beta : arrays of shape (channels,)
        Scale and shift; float32 for data of 16 bits.
    moving_mean, moving_var : arrays of shape (channels,)
        Auxiliary states: in training, running means of the statistics, updated in place.
    eps : float, default 1e-3
        Added to the variance.
    momentum : float, default 0.9
        The decay rate of the running means.
    fix_gamma : bool, default True
        Take `gamma` as 1, and its gradient as 0.
    use_global_stats : bool, default False
        Use the running means in training too.
    output_mean_var : bool, default False
        Whether to show the second and third output.
    axis : int, default 1
        The axis of the channels.
    cudnn_off, min_calib_range, max_calib_range
        Accepted and ignored.

    Returns
    -------
    output : array like data
    mean : array of shape (channels,)
        The mean used, hidden by default.
    var : array of shape (channels,)
        The used ``1 / sqrt(var + eps)``, hidden by default.
    """
    output, mean, _, inverse = normalize(
        (data, gamma, beta, moving_mean, moving_var),
        run,
        eps=eps,
        momentum=momentum,
        fix_gamma=fix_gamma,
        use_global_stats=use_global_stats,
        axis=axis,
    )
    return output, mean, inverse


@operator(
    "_contrib_SyncBatchNorm",
    outputs=("output", "mean", "var"),
    visible=lambda n: 3 if n.output_mean_var else 1,
)
def sync_batch_norm(
    data: Array,
    gamma: LayerWeights,
    beta: Array,
    moving_mean: State,
    moving_var: State,
    *,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    ndev: int = 1,
    key: str,
    run: Run,
) -> Any:
    """Standardize every channel over the batch, as BatchNorm does, but over the batches of all ranks.

    In training under ``mpirun``, all ranks must compute it in the same order; their batches may differ in size.
    The gradient of `data` is that of the sum of all ranks' losses; those of `gamma` and `beta` are this rank's
    share of it. A program of one process takes the statistics of its batch.

    Parameters
    ----------
    data, gamma, beta, moving_mean, moving_var, eps, momentum, fix_gamma, use_global_stats
        As for BatchNorm; the channels lie along axis 1.
    output_mean_var : bool, default False
        Whether to show the mean and the variance used as second and third output.
    ndev
        Accepted and ignored: the number of devices.
    key
        The name of the layer, for errors of ranks that run different layers.
    """
    return normalize(
        (data, gamma, beta, moving_mean, moving_var),
        run,
        eps=eps,
        momentum=momentum,
        fix_gamma=fix_gamma,
        use_global_stats=use_global_stats,
        over_ranks=key if spans_ranks() else None,
    )[:3]


@operator(
    "BatchNorm_v1",
    outputs=("output", "mean", "var"),
    visible=lambda n: 3 if n.output_mean_var else 1,
)
def batch_norm_v1(
    data: Array,
    gamma: LayerWeights,
    beta: Array,
    moving_mean: State,
    moving_var: State,
    *,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    run: Run,
) -> Any:
    """Standardize every channel over the batch, as BatchNorm does, which supersedes it.

    Parameters
    ----------
    data, gamma, beta, moving_mean, moving_var, eps, momentum, fix_gamma, use_global_stats
        As for BatchNorm; the channels lie along axis 1.
    output_mean_var : bool, default False
        Whether to show the mean and the variance used as second and third output.
    """
    return normalize(
        (data, gamma, beta, moving_mean, moving_var),
        run,
        eps=eps,
        momentum=momentum,
        fix_gamma=fix_gamma,
        use_global_stats=use_global_stats,
    )[:3]


def _axis(n: NodeView) -> int:
    return int(settings_of(n).get("axis", 1))


_PARAMETERS = ("gamma", "beta", "moving_mean", "moving_var", "mean", "var")


def infer_shape_of_statistics(n: NodeView) -> None:
    """The shape rule of an operator with statistics for each channel."""
    both_ways(n, "data", "output")
    axis = axis_of(_axis(n), len(n.data), title_of(n))
    set_all(n, _PARAMETERS, (n.data[axis],))
    n.data = n.output = replaced(n.data, axis, n.gamma[0])


def infer_dtype_of_statistics(n: NodeView) -> None:
    """The dtype rule of an operator with statistics, which are float32 for data of 16 bits."""
    both_ways(n, "data", "output")
    require_floating(n)
    for name in _PARAMETERS:
        put(n, name, np.dtype("float32") if n.data.itemsize == 2 else n.data)


def gradients(F: Any, n: NodeView, heads: Sequence[Any], *, shows_variance: bool) -> dict[str, Any]:
    """Gradients of all inputs; the statistics are outputs, through which higher orders flow."""
    axis = _axis(n)
    uses_batch = is_training(n) and not n.use_global_stats

    def view(vector: Any) -> Any:
        return F._channel_view_like(vector, n.data, axis=axis)

    inverse = F.rsqrt(n.var + n.eps) if shows_variance else n.var
    data = F._cast_as(n.data, n.mean)
    key = settings_of(n).get("key") if spans_ranks() else None
    layer = Standardization(F, data, view(n.mean), view(inverse), key, axis=axis, exclude=True)
    found: dict[str, Any] = {}
    parts = []
    if heads[0] is not None:
        g = F._cast_as(heads[0], n.mean)
        found["beta"] = F.sum(g, axis=axis, exclude=True)
        if n.fix_gamma:
            found["gamma"] = F.zeros_like(n.gamma)
        else:
            found["gamma"] = F.sum(g * layer.standardized, axis=axis, exclude=True)
            g = F.broadcast_mul(g, view(n.gamma))
        parts.append(layer.through(g) if uses_batch else layer.scaled(g))
    if uses_batch and heads[1] is not None:
        parts.append(layer.through_mean(view(heads[1])))
    if uses_batch and heads[2] is not None:
        through = layer.through_variance if shows_variance else layer.through_scale
        parts.append(through(view(heads[2])))
    if parts:
        found["data"] = F._cast_as(F.add_n(*parts) if len(parts) > 1 else parts[0], n.data)
    return found


for _op in (batch_norm, batch_norm_v1, sync_batch_norm):
    _op.infer_shape(infer_shape_of_statistics)
    _op.infer_dtype(infer_dtype_of_statistics)
    _op.all_gradients(partial(gradients, shows_variance=_op is not batch_norm))
