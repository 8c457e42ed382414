"""MXNet's fused convolution and fully connected layer, in float32 and on small integers. No gradients.

A quantized layer sums products of small integers in int32, adds its bias as an integer, and scales the sums to
levels of its result or to floating-point numbers. Results are those of processors with instructions for this
(VNNI). On others oneDNN halves the levels of a convolution's weights if its data are signed, and sums of two
products saturate at 16 bits.
"""

from collections.abc import Collection, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, Protocol

import numpy as np

from gluonic.graph.node import Node
from gluonic.graph.operator import Array, Operator, Run, Settings, operator
from gluonic.graph.ops.convolution import convolution
from gluonic.graph.ops.dense import fully_connected
from gluonic.graph.ops.fused_bodies import (
    FusedKind,
    body_of,
    dtype_rule,
    infer_shape,
    input_names,
    output_names,
    states_of,
)
from gluonic.graph.ops.fused_weights import folded, planned_convolution, planned_dense
from gluonic.graph.ops.quantized_layers import integer_products
from gluonic.graph.quantized_numbers import (
    FLOAT32,
    INT8,
    INT32,
    SMALL,
    Ranged,
    ResultRange,
    product_range,
    result_dtype,
    rounded,
)
from gluonic.graph.subgraphs import Subgraphs

ACTIVATIONS = ("Activation", "LeakyReLU", "clip")
FUNCTIONS = ("square", "sqrt", "exp", "abs")
_UNSIGNED_TYPES = ("relu", "sigmoid", "softrelu")


def _by_channel(numbers: Array, like: Array, *, axis: int) -> Array:
    """One number for each channel, to be broadcast to an array."""
    return numbers.reshape([-1 if i == axis else 1 for i in range(like.ndim)])


def is_linear(activation: Node) -> bool:
    """Whether a positive multiple of a number gives that multiple of the result."""
    kind = activation.applied.settings.get("act_type")
    return activation.operator_name == "abs" or kind in ("relu", "leaky")


class LayerArithmetic(Protocol):
    """What computes the products and the functions of a layer."""

    def products(self, op: Operator, data: Array, weight: Array, settings: Settings) -> Array:
        """The exact sums of products of a linear layer without a bias."""

    def applied(self, function: Node, numbers: Array) -> Array:
        """A function of each number."""


class _InNumPy(NamedTuple):
    """Arithmetic on arrays."""

    run: Run

    def products(self, op: Operator, data: Array, weight: Array, settings: Settings) -> Array:
        """The sums by BLAS."""
        return integer_products(op, data, weight, settings)

    def applied(self, function: Node, numbers: Array) -> Array:
        """The function by its kernel."""
        result: Array = function.applied.execute((numbers,), self.run)[0]
        return result


def _applied(activation: Node | None, numbers: Array, arithmetic: LayerArithmetic) -> Array:
    return numbers if activation is None else arithmetic.applied(activation, numbers)


def _applied_to_levels(
    activation: Node | None, levels: Array, scale: Any, arithmetic: LayerArithmetic
) -> Array:
    """An activation function of the numbers that levels represent, as levels of the same scale."""
    if activation is None or is_linear(activation):
        return _applied(activation, levels, arithmetic)
    scaled: Array = _applied(activation, levels / scale, arithmetic) * scale
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


def quantized_convolution(
    n: Any, arrays: Sequence[Array], arithmetic: LayerArithmetic
) -> tuple[Array, Array, Array]:
    """A convolution of small integers: its result, and the range of that.

    Parameters
    ----------
    n : the attributes
    arrays : the inputs
    """
    body = body_of(n)
    named = dict(zip((*body.names, *_conv_ranges(body.names)), arrays, strict=True))
    low, high = n.min_calib_range, n.max_calib_range
    unsigned = _is_unsigned(body.member(*ACTIVATIONS))
    into = ResultRange(low, high, result_dtype(low, high, unsigned=unsigned))
    data = Ranged(named["data"], named["data_min"], named["data_max"])
    planned = planned_convolution(body, named, data, into)
    settings = body.members["Convolution"].applied.settings
    products = arithmetic.products(convolution, data.array, planned.weight, settings)
    sums = products.astype(FLOAT32)
    if planned.bias is not None:
        sums = sums + _by_channel(planned.bias.astype(FLOAT32), sums, axis=1)
    if into.dtype != INT32:
        levels = sums * _by_channel(into.scale / data.scale / planned.scales, sums, axis=1)
        scale, ends = into.scale, into.ends
    else:
        weight, _ = folded(body, named)
        levels, scale = sums, data.scale * planned.scales[0]
        ends = product_range((data.low, data.high), (weight.min(), weight.max()), data.array.dtype)
    if "sum" in named:
        added = Ranged(named["sum"], named["sum_min"], named["sum_max"])
        # rounded once, as by oneDNN's fused multiply-add
        product = (scale / added.scale).astype(np.float64) * added.array.astype(np.float64)
        levels = (levels + product).astype(FLOAT32)
    levels = _applied_to_levels(body.member(*ACTIVATIONS), levels, scale, arithmetic)
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
    n = SimpleNamespace(
        subgraphs=subgraphs, min_calib_range=min_calib_range, max_calib_range=max_calib_range
    )
    return quantized_convolution(n, data, _InNumPy(run))


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


def quantized_dense(n: Any, arrays: Sequence[Array], arithmetic: LayerArithmetic) -> Any:
    """A fully connected layer of small integers: its result, and the range of integers.

    Parameters
    ----------
    n : the attributes
    arrays : the inputs
    """
    body, by_row = body_of(n), bool(n.channel_wise_quantize)
    names = (*body.names, *_dense_ranges(body.names, by_row=by_row))
    named = dict(zip(names, arrays, strict=True))
    activation = body.member(*ACTIVATIONS, *FUNCTIONS)
    low, high = n.min_calib_range, n.max_calib_range
    dtype = result_dtype(
        low, high, unsigned=_gives_uint8(activation), floating=n.enable_float_output
    )
    into = ResultRange(low, high, dtype)
    data = Ranged(named["data"], named["min_data"], named["max_data"])
    weight, bias, scales = planned_dense(named, data, by_row=by_row)
    settings = body.members["FullyConnected"].applied.settings
    sums = arithmetic.products(fully_connected, data.array, weight, settings).astype(FLOAT32)
    if bias is not None:
        sums = sums + bias.astype(FLOAT32)
    if into.dtype == INT32:
        weights = named["min_weight"], named["max_weight"]
        levels = _applied_to_levels(activation, sums, data.scale * scales[0], arithmetic)
        ends = product_range((data.low, data.high), weights, data.array.dtype)
        return rounded(levels, INT32), *ends
    unit = np.float32(1) / data.scale
    if into.dtype == FLOAT32:
        return _applied(activation, sums * (unit / scales), arithmetic)
    if activation is None:
        levels = sums * (into.scale / data.scale / scales)
    else:
        levels = _applied(activation, sums * (unit / scales), arithmetic) * into.scale
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
    n = SimpleNamespace(
        subgraphs=subgraphs,
        min_calib_range=min_calib_range,
        max_calib_range=max_calib_range,
        channel_wise_quantize=channel_wise_quantize,
        enable_float_output=enable_float_output,
    )
    return quantized_dense(n, data, _InNumPy(run))


fused_convolution.gradient()
fused_fully_connected.gradient()
