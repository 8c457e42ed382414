"""Batch normalization with a rectifier behind it, in one operator."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.operator import Array, Run, State, operator
from gluonic.graph.ops.batch_norm import (
    gradients,
    infer_dtype_of_statistics,
    infer_shape_of_statistics,
    normalize,
)
from gluonic.graph.view import NodeView


@operator(
    "_contrib_BatchNormWithReLU",
    outputs=("output", "mean", "var"),
    visible=lambda n: 3 if n.output_mean_var else 1,
    shape=infer_shape_of_statistics,
    dtype=infer_dtype_of_statistics,
)
def batch_norm_with_relu(
    data: Array,
    gamma: Array,
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
    """Standardize every channel over the batch as BatchNorm does, and put zero where the result is negative.

    Parameters
    ----------
    data, gamma, beta, moving_mean, moving_var, eps, momentum, fix_gamma, use_global_stats, axis
        As for BatchNorm.
    output_mean_var : bool, default False
        Whether to show the mean and ``1 / sqrt(var + eps)`` used as second and third output.
    cudnn_off, min_calib_range, max_calib_range
        Accepted and ignored.
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
    return np.maximum(output, 0, out=output), mean, inverse


@batch_norm_with_relu.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    g, *others = heads
    through = None if g is None else g * F._greater_scalar(n.output, scalar=0)
    return gradients(F, n, [through, *others], shows_variance=False)
