"""Batch normalization followed by a rectifier, in one operator."""

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.batch_norm import (
    batch_norm,
    gradients,
    infer_dtype_of_statistics,
    infer_shape_of_statistics,
)
from gluonic.graph.view import NodeView


def _rectified(*arrays: Array, **settings: Any) -> Any:
    """Standardize every channel over the batch as BatchNorm does, and set negative results to zero.

    Parameters
    ----------
    data, gamma, beta, moving_mean, moving_var, eps, momentum, fix_gamma, use_global_stats, axis
        As for BatchNorm.
    output_mean_var : bool, default False
        Whether to show the mean and ``1 / sqrt(var + eps)`` used as second and third output.
    cudnn_off, min_calib_range, max_calib_range
        Accepted and ignored.
    """
    output, mean, inverse = batch_norm.kernel(*arrays, **settings)
    return np.maximum(output, 0, out=output), mean, inverse


_rectified.__signature__ = inspect.signature(batch_norm.kernel)  # type: ignore[attr-defined]
batch_norm_with_relu = operator(
    "_contrib_BatchNormWithReLU",
    outputs=batch_norm.outputs,
    visible=batch_norm.visible,
    shape=infer_shape_of_statistics,
    dtype=infer_dtype_of_statistics,
)(_rectified)


@batch_norm_with_relu.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    g, *others = heads
    through = None if g is None else g * F._greater_scalar(n.output, scalar=0)
    return gradients(F, n, [through, *others], shows_variance=False)
