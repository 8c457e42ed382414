"""Layers that compute with small integers; see `graph.quantized_numbers`. They have no gradients."""

import inspect
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import (
    REGISTRY,
    Array,
    LayerWeights,
    Operator,
    Rule,
    Settings,
    State,
    operator,
)
from gluonic.graph.ops.activation import activation
from gluonic.graph.ops.batch_norm import infer_shape_of_statistics
from gluonic.graph.ops.convolution import convolution
from gluonic.graph.ops.dense import fully_connected
from gluonic.graph.ops.indexing import embedding
from gluonic.graph.ops.layer_rules import both_ways, set_all
from gluonic.graph.ops.pooling import pooling
from gluonic.graph.ops.shape import flatten
from gluonic.graph.ops.windows import is_channels_last
from gluonic.graph.quantized_numbers import (
    FLOAT32,
    INT8,
    INT32,
    LEVELS,
    UINT8,
    pair,
    product_range,
    require_small,
    rounded,
    span,
    summing_dtype,
)
from gluonic.graph.view import NodeView, title_of

OUTPUTS = ("output", "min_output", "max_output")
_RANGES = (
    *("min_data", "max_data", "min_weight", "max_weight", "min_bias", "max_bias"),
    *("min_output", "max_output"),
)


def _signature(op: Operator, inputs: Sequence[str]) -> inspect.Signature:
    """The inputs of a layer, the ranges of those that are quantized, and the layer's attributes."""
    parameters = inspect.signature(op.kernel).parameters.values()
    attributes = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    names = [*op.inputs, *(f"{end}_{name}" for name in inputs for end in ("min", "max"))]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    optional = names.index("bias") if "bias" in op.inputs else len(names)
    own = {"weight": LayerWeights}
    taken = [
        inspect.Parameter(
            name,
            kind,
            annotation=own.get(name, Array),
            **({} if i < optional else {"default": None}),
        )
        for i, name in enumerate(names)
    ]
    return inspect.Signature([*taken, *attributes])


def _absent_bias(n: NodeView) -> tuple[str, ...]:
    return ("bias", "min_bias", "max_bias") if n.no_bias else ()


def _quantized(
    op: Operator,
    inputs: Sequence[str],
    kernel: Callable[..., Any],
    dtype: Rule,
    documentation: str,
    check: Callable[[NodeView], None] = lambda n: None,
) -> Operator:
    """Register the quantized form of a layer: its attributes, and ranges after its inputs.

    Parameters
    ----------
    op : the layer
    inputs : the inputs that are quantized; further inputs are the minimum and maximum of each
    kernel : a kernel of ``(*inputs, *ranges, **attributes)``
    dtype : the rule for dtypes other than those of the ranges
    documentation : what it computes
    check : raises if attributes are not supported
    """
    shape = _like_data if op is activation else op.shape
    assert shape is not None

    def run(*arrays: Array, **settings: Any) -> Any:
        return kernel(*arrays, **settings)

    def shapes(n: NodeView) -> None:
        check(n)
        set_all(n, _RANGES, (1,))
        shape(n)

    def dtypes(n: NodeView) -> None:
        set_all(n, _RANGES, FLOAT32)
        dtype(n)

    run.__signature__ = _signature(op, inputs)  # type: ignore[attr-defined]
    run.__doc__ = inspect.cleandoc(documentation)
    made = Operator(
        f"_contrib_quantized_{_NAMES[op.name]}",
        run,
        outputs=OUTPUTS,
        absent=_absent_bias if "bias" in op.inputs else None,
        shape=shapes,
        dtype=dtypes,
    )
    made.gradient()
    REGISTRY.add(made)
    return made


def _like_data(n: NodeView) -> None:
    both_ways(n, "data", "output")


_NAMES = {
    "Convolution": "conv",
    "FullyConnected": "fully_connected",
    "Pooling": "pooling",
    "Activation": "act",
    "Flatten": "flatten",
    "Embedding": "embedding",
}


def _scaled_bias(bias: Array, ranges: Sequence[Any], dtype: np.dtype[Any]) -> Array:
    """A bias of int8 in the levels of the products that it is added to, truncated, as int32."""
    sizes = [span(low, high) for low, high in zip(ranges[::2], ranges[1::2], strict=True)]
    data, weight, own = sizes
    per_level = LEVELS[dtype] / data * (LEVELS[INT8] / weight) * own / LEVELS[INT8]
    return rounded(np.trunc(bias * per_level), INT32)


def integer_products(op: Operator, data: Array, weight: Array, settings: Settings) -> Array:
    """The exact sums of products of a linear layer without a bias, as int32."""
    wide = summing_dtype(prod(weight.shape[1:]))
    plain = {**settings, "no_bias": True}
    sums: Array = op.kernel(data.astype(wide), weight.astype(wide), None, **plain)
    return rounded(sums, INT32) if sums.dtype == np.float64 else sums.astype(INT32)


def _linear(op: Operator) -> Callable[..., Any]:
    """The kernel of a linear layer."""

    def run(data: Array, weight: Array, bias: Array | None, *ranges: Any, **settings: Any) -> Any:
        sums = integer_products(op, data, weight, settings)
        return linear_results(op, sums, bias, ranges, data.dtype)

    return run


def linear_results(
    op: Operator, sums: Array, bias: Array | None, ranges: Sequence[Any], dtype: np.dtype[Any]
) -> tuple[Array, Array, Array]:
    """The results of a linear layer on data of a dtype, from its sums of products."""
    if bias is not None:
        added = _scaled_bias(bias, ranges, dtype)
        if op is convolution:
            added = added.reshape(-1, *[1] * (sums.ndim - 2))
        bounds = np.iinfo(INT32)
        low, high = bounds.min - np.minimum(added, 0), bounds.max - np.maximum(added, 0)
        sums = np.clip(sums, low, high) + added
    data, weight = (ranges[0], ranges[1]), (ranges[2], ranges[3])
    return sums, *product_range(data, weight, dtype)


def _linear_dtypes(n: NodeView) -> None:
    set_all(n, ("weight", "bias"), INT8)
    n.output = INT32
    require_small(n, "data")


def _channels_first(n: NodeView) -> None:
    if is_channels_last(n.layout):
        raise InferenceError(f"{title_of(n)}: layout must be NCHW or NCDHW, not {n.layout}")


_PRODUCTS = """with small integers, summed in int32.

    Parameters
    ----------
    data : array of int8 or uint8
    weight, bias : arrays of int8; no bias with ``no_bias=True``
    min_data, max_data, min_weight, max_weight, min_bias, max_bias : float32 arrays of shape (1,)
        The ranges of these.

    Returns
    -------
    int32 array, and its range: two float32 arrays of shape (1,)
"""
_SAME = """

    Returns
    -------
    array of the dtype of `data`, and its range: two float32 arrays of shape (1,)
"""

_quantized(
    convolution,
    ("data", "weight", "bias"),
    _linear(convolution),
    _linear_dtypes,
    f"Convolution {_PRODUCTS}",
    _channels_first,
)
_quantized(
    fully_connected,
    ("data", "weight", "bias"),
    _linear(fully_connected),
    _linear_dtypes,
    f"A fully connected layer {_PRODUCTS}",
)


def _same_dtype(n: NodeView) -> None:
    n.output = n.data
    require_small(n, "data")


def _pool(data: Array, low: Array, high: Array, **settings: Any) -> Any:
    pooled = pooling.kernel(data.astype(np.float32), **settings)
    return rounded(pooled, data.dtype), low.copy(), high.copy()


def _max_or_mean(n: NodeView) -> None:
    if n.pool_type not in ("max", "avg"):
        raise InferenceError(
            f"{title_of(n)}: pool_type must be 'max' or 'avg', not {n.pool_type!r}"
        )


_quantized(
    pooling, ("data",), _pool, _same_dtype, f"Pooling by maxima or means.{_SAME}", _max_or_mean
)


def _rectify(data: Array, low: Array, high: Array, **settings: Any) -> Any:
    return np.maximum(data, 0), low.copy(), high.copy()


def _rectifier(n: NodeView) -> None:
    if n.act_type != "relu":
        raise InferenceError(f"{title_of(n)}: act_type must be 'relu', not {n.act_type!r}")


_quantized(activation, ("data",), _rectify, _same_dtype, f"The rectifier.{_SAME}", _rectifier)
_quantized(
    flatten,
    ("data",),
    lambda data, low, high: (
        data.reshape(len(data), prod(data.shape[1:])),
        low.copy(),
        high.copy(),
    ),
    _same_dtype,
    f"Join all axes but the first.{_SAME}",
)


def _look_up(data: Array, weight: Array, low: Array, high: Array, **settings: Any) -> Any:
    return embedding.kernel(data, weight, **settings), low.copy(), high.copy()


def _embedding_dtypes(n: NodeView) -> None:
    n.weight = n.output = INT8


_quantized(
    embedding,
    ("weight",),
    _look_up,
    _embedding_dtypes,
    "Look up a vector of int8 for each number.",
)


def _channel_shapes(n: NodeView) -> None:
    set_all(n, _RANGES, (1,))
    infer_shape_of_statistics(n)


@operator("_contrib_quantized_batch_norm", outputs=OUTPUTS, shape=_channel_shapes)
def quantized_batch_norm(
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: State,
    moving_var: State,
    min_data: Array,
    max_data: Array,
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
) -> Any:
    """Standardize every channel by its running mean and variance.

    Parameters
    ----------
    data : array of int8 or uint8
    gamma, beta, moving_mean, moving_var : float32 arrays of shape (channels,)
        As for BatchNorm.
    min_data, max_data : float32 arrays of shape (1,), the range of `data`
    min_calib_range, max_calib_range : float
        The range of the output, found by calibration.
    eps, fix_gamma, axis
        As for BatchNorm; all others are accepted and ignored.

    Returns
    -------
    int8 array, and its range: two float32 arrays of shape (1,)
    """
    assert min_calib_range is not None
    assert max_calib_range is not None
    shape = [-1 if i == axis % data.ndim else 1 for i in range(data.ndim)]
    numbers = data.astype(np.float32)
    if data.dtype == UINT8:
        numbers = np.rint(numbers * (LEVELS[INT8] / LEVELS[UINT8]))
    size, levels = span(min_calib_range, max_calib_range), LEVELS[INT8]
    inverse = 1 / np.sqrt(moving_var + np.float32(eps))
    # MXNet folds the variance into the scale, and still divides by the root of 1 + eps.
    once_more = 1 / np.sqrt(np.float32(1 + eps))
    if not fix_gamma:
        inverse = gamma * inverse
    scale = inverse * span(min_data, max_data) / size * once_more
    shift = (beta - moving_mean * inverse) * levels / size
    exact = numbers.astype(np.float64) * scale.reshape(shape) + shift.reshape(shape)
    # Rounded to float32 once, as by the fused multiply-add of processors.
    output = rounded(exact.astype(np.float32), INT8)
    return output, *pair(min_calib_range, max_calib_range)


@quantized_batch_norm.infer_dtype
def _(n: NodeView) -> None:
    set_all(n, (*_RANGES, "gamma", "beta", "moving_mean", "moving_var"), FLOAT32)
    n.output = INT8
    if n.min_calib_range is None or n.max_calib_range is None:
        raise InferenceError(
            f"{title_of(n)} needs min_calib_range and max_calib_range: calibrate the net"
        )
    require_small(n, "data")


quantized_batch_norm.gradient()
