"""MXNet's fused convolution and fully connected layer, in float32 and on small integers. No gradients.

A quantized layer sums products of small integers in int32, adds its bias as an integer, and scales the sums to
levels of its result or to floating-point numbers. Results are those of processors with instructions for this
(VNNI). On others oneDNN halves the levels of a convolution's weights if its data are signed, and sums of two
products saturate at 16 bits.
"""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.node import Node
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.ops.convolution import convolution
from gluonic.graph.ops.dense import fully_connected
from gluonic.graph.ops.fused_bodies import (
    FusedBody,
    FusedKind,
    body_of,
    dtype_rule,
    infer_shape,
    input_names,
    output_names,
    states_of,
)
from gluonic.graph.ops.quantized_layers import integer_products
from gluonic.graph.quantized_numbers import (
    FLOAT32,
    INT8,
    INT32,
    SMALL,
    Ranged,
    ResultRange,
    per_unit,
    product_range,
    result_dtype,
    rounded,
    span,
)
from gluonic.graph.subgraphs import Subgraphs

ACTIVATIONS = ("Activation", "LeakyReLU", "clip")
FUNCTIONS = ("square", "sqrt", "exp", "abs")
_MOST_OF_BIAS = np.float32(2.0**30)
"""Half of the levels of int32, which leaves room for the products."""
_UNSIGNED_TYPES = ("relu", "sigmoid", "softrelu")


def weight_scales(weight: Array, bias: Array | None, data_scale: Any, *, by_filter: bool) -> Array:
    """The numbers of levels per unit of a layer's weights: one for each filter, or one for all.

    Parameters
    ----------
    data_scale : that of the data; a filter gets fewer levels if its bias would exceed int32
    """
    rows = np.abs(weight.reshape(len(weight) if by_filter else 1, -1)).max(axis=1)
    scales: Array = np.array([per_unit(INT8, size, size) for size in rows], FLOAT32)
    if by_filter and bias is not None:
        most = _MOST_OF_BIAS / np.abs(bias[bias != 0]) / data_scale
        scales[bias != 0] = np.minimum(scales[bias != 0], most)
    return scales


def weight_levels(weight: Array, scales: Array) -> Array:
    """The weights as int8."""
    return rounded(weight * scales.reshape(-1, *[1] * (weight.ndim - 1)), INT8)


def _by_channel(numbers: Array, like: Array, *, axis: int) -> Array:
    """One number for each channel, to be broadcast to an array."""
    return numbers.reshape([-1 if i == axis else 1 for i in range(like.ndim)])


def is_linear(activation: Node) -> bool:
    """Whether a positive multiple of a number gives that multiple of the result."""
    kind = activation.applied.settings.get("act_type")
    return activation.operator_name == "abs" or kind in ("relu", "leaky")


def _applied(activation: Node | None, numbers: Array, run: Run) -> Array:
    if activation is None:
        return numbers
    result: Array = activation.applied.execute((numbers,), run)[0]
    return result


def _applied_to_levels(activation: Node | None, levels: Array, scale: Any, run: Run) -> Array:
    """An activation function of the numbers that levels represent, as levels of the same scale."""
    if activation is None or is_linear(activation):
        return _applied(activation, levels, run)
    scaled: Array = _applied(activation, levels / scale, run) * scale
    return scaled


# ------------------------------------------------------------------------------- convolution


def _conv_ranges(names: Collection[str]) -> list[str]:
    return [f"{name}_{end}" for name in ("data", "sum") if name in names for end in ("min", "max")]


_CONV = FusedKind(
    "Convolution",
    frozenset({"BatchNorm", "elemwise_add", *ACTIVATIONS}),
    lambda n: {"data": SMALL, "sum": SMALL},
    lambda n, names: _conv_ranges(names),
    ends=("output_min", "output_max"),
)


def _is_unsigned(activation: Node | None) -> bool:
    """Whether the result of an activation function, after a convolution, is quantized to uint8."""
    if activation is None:
        return False
    settings = activation.applied.settings
    if activation.operator_name == "LeakyReLU":
        return bool(settings["act_type"] == "leaky" and settings["slope"] == 0)
    return activation.operator_name == "clip" or settings["act_type"] in _UNSIGNED_TYPES


def _folded(body: FusedBody, named: Mapping[str, Array]) -> tuple[Array, Array | None]:
    """The weight and the bias of a convolution, with its normalization folded into them."""
    weight, bias = named["weight"], named.get("bias")
    norm = body.member("BatchNorm")
    if norm is None:
        return weight, bias
    settings = norm.applied.settings
    gamma = np.float32(1) if settings["fix_gamma"] else named["gamma"]
    deviation = np.sqrt(named["var"].astype(np.float64) + settings["eps"])
    scale = (gamma / deviation).astype(np.float32)
    mean = named["mean"] if bias is None else named["mean"] - bias
    return weight * scale.reshape(-1, *[1] * (weight.ndim - 1)), named["beta"] - scale * mean


class PlannedLayer(NamedTuple):
    """A layer of small integers, whose sums are scaled to levels of its result.

    Attributes
    ----------
    weight, bias : as int8, and as integers among the sums; None without a bias
    scales : the numbers of levels per unit of the weights
    """

    weight: Array
    bias: Array | None
    scales: Array


def planned_convolution(
    body: FusedBody, named: Mapping[str, Array], data: Ranged, into: ResultRange
) -> PlannedLayer:
    """The parameters of a convolution as it computes with them; of the data, only the range counts."""
    weight, bias = _folded(body, named)
    scales = weight_scales(weight, bias, data.scale, by_filter=into.dtype != INT32)
    whole = None if bias is None else rounded(bias * (scales * data.scale), INT32)
    return PlannedLayer(weight_levels(weight, scales), whole, scales)


def _convolve(
    body: FusedBody, named: dict[str, Array], into: ResultRange, run: Run
) -> tuple[Array, Array, Array]:
    """A convolution of small integers: its result, and the range of that."""
    data = Ranged(named["data"], named["data_min"], named["data_max"])
    planned = planned_convolution(body, named, data, into)
    settings = body.members["Convolution"].applied.settings
    products = integer_products(convolution, data.array, planned.weight, settings)
    sums = products.astype(FLOAT32)
    if planned.bias is not None:
        sums += _by_channel(planned.bias, sums, axis=1)
    if into.dtype != INT32:
        levels = sums * _by_channel(into.scale / data.scale / planned.scales, sums, axis=1)
        scale, ends = into.scale, into.ends
    else:
        weight, _ = _folded(body, named)
        levels, scale = sums, data.scale * planned.scales[0]
        ends = product_range((data.low, data.high), (weight.min(), weight.max()), data.array.dtype)
    if "sum" in named:
        added = Ranged(named["sum"], named["sum_min"], named["sum_max"])
        # rounded once, as by oneDNN's fused multiply-add
        product = np.float64(scale / added.scale) * added.array.astype(np.float64)
        levels = (levels + product).astype(FLOAT32)
    levels = _applied_to_levels(body.member(*ACTIVATIONS), levels, scale, run)
    return rounded(levels, into.dtype), *ends


@operator(
    "_sg_mkldnn_conv",
    arguments=input_names(_CONV),
    auxiliary=states_of,
    outputs=output_names(_CONV),
    shape=infer_shape,
    dtype=dtype_rule(_CONV, lambda n: _is_unsigned(body_of(n).member(*ACTIVATIONS))),
)
def fused_convolution(
    *data: Array,
    subgraphs: Subgraphs,
    quantized: bool = False,
    with_bn: bool = False,
    with_act: bool = False,
    with_sum: bool = False,
    with_postsum_act: bool = False,
    with_relu: bool = False,
    with_postsum_relu: bool = False,
    weight_channelwise_scale: bool = True,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    run: Run,
) -> Any:
    """A convolution, and what MXNet fuses with it: normalization, addition of another array, activation.

    Parameters
    ----------
    data : the inputs of the graph: images, filters, and the biases, parameters of the normalization and
        summand that it has; if quantized then the minimum and the maximum of the images, and of the summand
    subgraphs : the graph
    quantized : whether images and summand are int8 or uint8
    min_calib_range, max_calib_range : float, optional
        The range of the quantized result, found by calibration.
    with_bn, with_act, with_sum, with_postsum_act, with_relu, with_postsum_relu, weight_channelwise_scale
        Accepted and ignored: the graph determines what is fused.

    Returns
    -------
    float32 array; if quantized an array, and its range: two float32 arrays of shape (1,)
        uint8 after a rectifier, else int8; int32 if its range is not given.
    """
    (body,) = subgraphs.bodies
    if not quantized:
        return body.run(data, run)
    names = (*body.names, *_conv_ranges(body.names))
    unsigned = _is_unsigned(body.member(*ACTIVATIONS))
    into = ResultRange(
        min_calib_range,
        max_calib_range,
        result_dtype(min_calib_range, max_calib_range, unsigned=unsigned),
    )
    return _convolve(body, dict(zip(names, data, strict=True)), into, run)


# --------------------------------------------------------------------------- fully connected


def _dense_integers(n: Any) -> dict[str, Any]:
    weights = {} if n.channel_wise_quantize else {"weight": (INT8,), "bias": (INT8,)}
    return {"data": SMALL, **weights}


def _dense_ranges(names: Collection[str], *, by_row: bool) -> list[str]:
    ranged = ("data",) if by_row else ("data", "weight", "bias")
    return [f"{end}_{name}" for name in ranged if name in names for end in ("min", "max")]


_DENSE = FusedKind(
    "FullyConnected",
    frozenset({*ACTIVATIONS, *FUNCTIONS}),
    _dense_integers,
    lambda n, names: _dense_ranges(names, by_row=n.channel_wise_quantize),
)


def _gives_uint8(activation: Node | None) -> bool:
    """Whether the result after a fully connected layer is quantized to uint8, even by a leaky rectifier."""
    if activation is None:
        return False
    kind = activation.applied.settings.get("act_type")
    return kind is None or kind in (*_UNSIGNED_TYPES, "leaky")


def _tensor_wise(named: Mapping[str, Array], data_scale: Any) -> tuple[Array, Array, Array | None]:
    """The scale of int8 weights, the weights, and the bias in the levels of their products."""
    weight = Ranged(named["weight"], named["min_weight"], named["max_weight"])
    levels, scale = weight.array, weight.scale
    if "bias" not in named:
        return np.array([scale]), levels, None
    bias = Ranged(named["bias"], named["min_bias"], named["max_bias"])
    rescale = data_scale * scale / bias.scale
    size = span(bias.low, bias.high)
    most = _MOST_OF_BIAS / size / bias.scale if size else rescale
    if rescale > most:  # fewer levels for the weights, so that the bias does not exceed int32
        shrunk = most * bias.scale / data_scale / scale
        rescale, scale = most, scale * shrunk
        levels = _half_away(levels.astype(FLOAT32) * shrunk).astype(INT8)
    return np.array([scale]), levels, _half_away(bias.array.astype(FLOAT32) * rescale)


def _half_away(values: Array) -> Array:
    """Round to the nearest integers, halves away from zero."""
    exact = values.astype(np.float64)
    return np.copysign(np.floor(np.abs(exact) + 0.5), exact)


def planned_dense(named: Mapping[str, Array], data: Ranged, *, by_row: bool) -> PlannedLayer:
    """The parameters of a dense layer as it computes with them; of the data, only the range counts."""
    if not by_row:
        scales, weight, bias = _tensor_wise(named, data.scale)
        return PlannedLayer(weight, bias, scales)
    weight, bias = named["weight"], named.get("bias")
    scales = weight_scales(weight, bias, data.scale, by_filter=True)
    whole = None if bias is None else rounded(bias * (scales * data.scale), INT32)
    return PlannedLayer(weight_levels(weight, scales), whole, scales)


def _connect(
    body: FusedBody, named: dict[str, Array], into: ResultRange, run: Run, *, by_row: bool
) -> Any:
    """A fully connected layer of small integers: its result, and the range of integers."""
    data = Ranged(named["data"], named["min_data"], named["max_data"])
    weight, bias, scales = planned_dense(named, data, by_row=by_row)
    settings = body.members["FullyConnected"].applied.settings
    sums = integer_products(fully_connected, data.array, weight, settings).astype(FLOAT32)
    if bias is not None:
        sums += bias.astype(FLOAT32)
    activation = body.member(*ACTIVATIONS, *FUNCTIONS)
    if into.dtype == INT32:
        weights = named["min_weight"], named["max_weight"]
        levels = _applied_to_levels(activation, sums, data.scale * scales[0], run)
        ends = product_range((data.low, data.high), weights, data.array.dtype)
        return rounded(levels, INT32), *ends
    unit = np.float32(1) / data.scale
    if into.dtype == FLOAT32:
        return _applied(activation, sums * (unit / scales), run)
    if activation is None:
        levels = sums * (into.scale / data.scale / scales)
    else:
        levels = _applied(activation, sums * (unit / scales), run) * into.scale
    return rounded(levels, into.dtype), *into.ends


@operator(
    "_sg_mkldnn_fully_connected",
    arguments=input_names(_DENSE),
    outputs=output_names(_DENSE),
    shape=infer_shape,
    dtype=dtype_rule(_DENSE, lambda n: _gives_uint8(body_of(n).member(*ACTIVATIONS, *FUNCTIONS))),
)
def fused_fully_connected(
    *data: Array,
    subgraphs: Subgraphs,
    quantized: bool = False,
    enable_float_output: bool = False,
    with_eltwise: bool = False,
    with_relu: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
    channel_wise_quantize: bool | None = None,
    run: Run,
) -> Any:
    """A fully connected layer, and the function of each element that MXNet fuses with it.

    Parameters
    ----------
    data : the inputs of the graph: features, weights, and the bias that it has; if quantized then the minimum
        and the maximum of each, of the features alone with `channel_wise_quantize`
    subgraphs : the graph
    quantized : whether the features are int8 or uint8, and the weights and the bias int8
    channel_wise_quantize : whether weights and bias are float32, and quantized with one range for each row
    enable_float_output : whether the result is float32 although the layer is quantized
    min_calib_range, max_calib_range : float, optional
        The range of the quantized result, found by calibration.
    with_eltwise, with_relu
        Accepted and ignored: the graph determines what is fused.

    Returns
    -------
    float32 array; if quantized an array, and its range: two float32 arrays of shape (1,)
        uint8 after most functions, else int8; int32 if its range is not given.
    """
    (body,) = subgraphs.bodies
    if not quantized:
        return body.run(data, run)
    by_row = bool(channel_wise_quantize)
    names = (*body.names, *_dense_ranges(body.names, by_row=by_row))
    dtype = result_dtype(
        min_calib_range,
        max_calib_range,
        unsigned=_gives_uint8(body.member(*ACTIVATIONS, *FUNCTIONS)),
        floating=enable_float_output,
    )
    into = ResultRange(min_calib_range, max_calib_range, dtype)
    return _connect(body, dict(zip(names, data, strict=True)), into, run, by_row=by_row)


fused_convolution.gradient()
fused_fully_connected.gradient()
