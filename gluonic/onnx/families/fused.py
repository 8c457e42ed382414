"""Layers of small integers that MXNet fuses: their sums are computed in float32, which is exact up to 2**24."""

from typing import Any

import numpy as np

from gluonic.graph.ops.fused_bodies import body_of
from gluonic.graph.ops.fused_layers import (
    ACTIVATIONS,
    FUNCTIONS,
    is_linear,
)
from gluonic.graph.ops.fused_weights import planned_convolution, planned_dense
from gluonic.graph.quantized_numbers import Ranged, ResultRange
from gluonic.onnx.errors import NotExportable
from gluonic.onnx.families.quantized import rounded_levels
from gluonic.onnx.table import WRITES, family
from gluonic.onnx.use import known, output_dtype, shape_of, use_inside

fused = family("fused layers of small integers")


@fused.write("_sg_mkldnn_conv")
def _(o: Any, n: Any) -> Any:
    body, into = body_of(n), _result_range(n)
    data = _ranged(n, "data", ("data_min", "data_max"))
    named = {name: known(n, name) for name in body.names if name not in ("data", "sum")}
    planned = planned_convolution(body, named, data, into)
    settings = body.members["Convolution"].applied.settings
    rank = len(settings["kernel"])
    pads = list(settings["pad"] or (0,) * rank)
    sums = o.Conv(
        o.cast(n.data, np.float32),
        planned.weight.astype(np.float32),
        None if planned.bias is None else planned.bias.astype(np.float32),
        kernel_shape=list(settings["kernel"]),
        strides=list(settings["stride"] or (1,) * rank),
        dilations=list(settings["dilate"] or (1,) * rank),
        pads=pads * 2,
        group=settings["num_group"],
    )
    factors = np.float32(into.scale / data.scale / planned.scales)
    levels = o.Mul(sums, factors.reshape(-1, *[1] * rank))
    if "sum" in body.names:
        added = _ranged(n, "sum", ("sum_min", "sum_max"))
        levels = o.Add(levels, o.Mul(o.cast(n.sum, np.float32), float(into.scale / added.scale)))
    activation = body.member(*ACTIVATIONS)
    if activation is not None and is_linear(activation):
        levels = _applied(o, n, activation, levels)
    elif activation is not None:
        numbers = _applied(o, n, activation, o.Mul(levels, float(1 / into.scale)))
        levels = o.Mul(numbers, float(into.scale))
    return _result(o, levels, into)


@fused.write("_sg_mkldnn_fully_connected")
def _(o: Any, n: Any) -> Any:
    body, into = body_of(n), _result_range(n)
    data = _ranged(n, "data", ("min_data", "max_data"))
    by_row = bool(n.channel_wise_quantize)
    ends = () if by_row else ("weight", "bias")
    names = [name for name in body.names if name != "data"]
    names += [f"{end}_{name}" for name in ends if name in names for end in ("min", "max")]
    planned = planned_dense({name: known(n, name) for name in names}, data, by_row=by_row)
    settings = body.members["FullyConnected"].applied.settings
    numbers = o.cast(n.data, np.float32)
    if settings["flatten"] and len(shape_of(n, "data")) != 2:
        numbers = o.Flatten(numbers, axis=1)
    sums = o.MatMul(numbers, np.ascontiguousarray(planned.weight.T).astype(np.float32))
    if planned.bias is not None:
        sums = o.Add(sums, planned.bias.astype(np.float32))
    activation = body.member(*ACTIVATIONS, *FUNCTIONS)
    result = o.Mul(sums, np.float32(np.float32(1) / data.scale / planned.scales))
    if activation is not None:
        result = _applied(o, n, activation, result)
    return (
        result if into.dtype == np.float32 else _result(o, o.Mul(result, float(into.scale)), into)
    )


def _ranged(n: Any, name: str, ends: tuple[str, str]) -> Ranged:
    """The range of an input, without its elements."""
    low, high = (known(n, end) for end in ends)
    return Ranged(np.empty(0, getattr(n, name).dtype), low, high)


def _result_range(n: Any) -> ResultRange:
    into = ResultRange(n.min_calib_range, n.max_calib_range, output_dtype(n))
    if into.dtype == np.int32:
        raise NotExportable("its range is not calibrated")
    return into


def _applied(o: Any, n: Any, activation: Any, value: Any) -> Any:
    """An activation function that is fused with a layer."""
    name = activation.operator_name
    if name in WRITES:
        return WRITES[name](o, use_inside(n, activation, value))
    raise NotExportable(f"{name} within it")


def _result(o: Any, levels: Any, into: ResultRange) -> list[Any]:
    """Levels as small integers, and their range."""
    low, high = (o.constant(np.reshape(end, 1).astype(np.float32)) for end in into.ends)
    return [rounded_levels(o, levels, o.constant(np.float32(1)), into.dtype), low, high]
