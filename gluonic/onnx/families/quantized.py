"""Quantized numbers and layers.

A quantized array of gluonic comes with the range that it represents; in ONNX with a scale.
"""

from typing import Any

import numpy as np

from gluonic.graph.quantized_numbers import LEVELS, span
from gluonic.onnx.errors import NotExportable, NotImportable
from gluonic.onnx.table import WRITES, family
from gluonic.onnx.tensors import dtype_of_type
from gluonic.onnx.use import output_dtype, shape_of, with_first_input

quantized = family("quantized numbers")


def _span(o: Any, low: Any, high: Any) -> Any:
    """The larger absolute value of a range, as a scalar."""
    found = o.Max(o.Abs(low), o.Abs(high))
    return o.Reshape(found, np.array([], np.int64))


def _given_range(n: Any) -> tuple[float, float] | None:
    low, high = n.min_calib_range, n.max_calib_range
    return None if low is None or high is None else (float(low), float(high))


def _range_values(o: Any, dtype: Any, low: Any, high: Any, size: Any) -> list[Any]:
    """The range of a result: symmetric for int8; constant if it was calibrated."""
    if low.array is not None and high.array is not None:
        most = span(low.array.reshape(()), high.array.reshape(()))
        ends = (-most, most) if dtype == np.int8 else (low.array, high.array)
        return [o.constant(np.reshape(end, 1).astype(np.float32)) for end in ends]
    if dtype == np.int8:
        one = o.Reshape(size, [1])
        return [o.Neg(one), one]
    return [o.Reshape(low, [1]), o.Reshape(high, [1])]


def _bounds(o: Any, n: Any) -> tuple[Any, Any]:
    """The range that the attributes state, or that of the data."""
    given = _given_range(n)
    if given is not None:
        low, high = (o.constant(np.array([bound], np.float32)) for bound in given)
        return low, high
    axes = range(len(shape_of(n, 0)))
    found = [o.reduce(kind, n.data, list(axes)) for kind in ("ReduceMin", "ReduceMax")]
    return o.Reshape(found[0], [1]), o.Reshape(found[1], [1])


def rounded_levels(o: Any, values: Any, scale: Any, dtype: Any) -> Any:
    """Numbers divided by a scale, rounded and clipped to a small integer."""
    safe = scale
    if scale.array is None:  # computed, and perhaps zero
        safe = o.Where(o.Equal(scale, 0.0), o.constant(np.float32(1)), scale, result=np.float32)
    zero = o.constant(np.zeros((), dtype))
    return o.QuantizeLinear(values, safe, zero, result=np.dtype(dtype))


@quantized.write("_contrib_quantize_v2")
def _(o: Any, n: Any) -> Any:
    if n.data.dtype != np.float32:
        raise NotExportable("quantization of integers")
    dtype = output_dtype(n)
    low, high = _bounds(o, n)
    size = _span(o, low, high)
    scale = o.Div(size, float(LEVELS[dtype]))
    return [rounded_levels(o, n.data, scale, dtype), *_range_values(o, dtype, low, high, size)]


@quantized.write("_contrib_quantize")
def _(o: Any, n: Any) -> Any:
    dtype = output_dtype(n)
    size = _span(o, n.min_range, n.max_range)
    scale = o.Div(size, float(np.iinfo(dtype).max))
    return [
        rounded_levels(o, n.data, scale, dtype),
        *_range_values(o, dtype, n.min_range, n.max_range, size),
    ]


@quantized.write("_contrib_dequantize")
def _(o: Any, n: Any) -> Any:
    scale = o.Div(_span(o, n.min_range, n.max_range), float(LEVELS[n.data.dtype]))
    return o.DequantizeLinear(n.data, scale, result=np.float32)


@quantized.write("_contrib_requantize")
def _(o: Any, n: Any) -> Any:
    dtype = output_dtype(n)
    level = o.Div(_span(o, n.min_range, n.max_range), 2.0**31)
    numbers = o.cast(n.data, np.float32)
    given = _given_range(n)
    if given is None:
        axes = list(range(len(shape_of(n, 0))))
        size = o.Mul(o.reduce("ReduceMax", o.Abs(numbers), axes), level)
    else:
        size = o.constant(np.float32(max(map(abs, given))))
    scale = o.Div(size, float(np.iinfo(dtype).max))
    zeros = o.constant(np.zeros(1, np.float32))
    result = rounded_levels(o, o.Mul(numbers, level), scale, dtype)
    return [result, *_range_values(o, dtype, zeros, size, size)]


def _product_range(o: Any, n: Any) -> list[Any]:
    """The range of int32 for sums of products."""
    top = float(np.iinfo(n.data.dtype).max)
    level = o.Div(_span(o, n.min_data, n.max_data), top)
    level = o.Mul(level, o.Div(_span(o, n.min_weight, n.max_weight), 127.0))
    size = o.Reshape(o.Mul(level, 2.0**31), [1])
    return [o.Neg(size), size]


def _with_bias(o: Any, n: Any, sums: Any, rank: int) -> Any:
    if n.bias is None:
        return sums
    spans = {
        name: _span(o, getattr(n, f"min_{name}"), getattr(n, f"max_{name}"))
        for name in ("data", "weight", "bias")
    }
    levels = float(LEVELS[n.data.dtype]), float(LEVELS[np.dtype(np.int8)])
    factor = o.Mul(
        o.Div(o.constant(np.float32(levels[0])), spans["data"]),
        o.Div(o.constant(np.float32(levels[1])), spans["weight"]),
    )
    scaled = o.Mul(o.cast(n.bias, np.float32), o.Div(o.Mul(factor, spans["bias"]), levels[1]))
    bias = o.cast(scaled, np.int32)
    return o.Add(sums, o.Reshape(bias, [-1, *[1] * rank]) if rank else bias)


@quantized.write("_contrib_quantized_conv")
def _(o: Any, n: Any) -> Any:
    rank = len(n.kernel)
    pads = list(n.pad or (0,) * rank)
    sums = _exact_conv(o, n, pads, rank)
    return [_with_bias(o, n, sums, rank), *_product_range(o, n)]


def _exact_conv(o: Any, n: Any, pads: list[int], rank: int) -> Any:
    """The sums in float32, exact below 2**24: ONNX Runtime's products of int8 saturate on some processors."""
    terms = int(np.prod(shape_of(n, "weight")[1:]))
    if terms * 255 * 128 > 2**24:
        raise NotExportable("sums of so many products that float32 is not exact")
    result = o.Conv(
        o.cast(n.data, np.float32),
        o.cast(n.weight, np.float32),
        kernel_shape=list(n.kernel),
        strides=list(n.stride or (1,) * rank),
        dilations=list(n.dilate or (1,) * rank),
        pads=pads * 2,
        group=n.num_group,
    )
    return o.cast(result, np.int32)


@quantized.write("_contrib_quantized_fully_connected")
def _(o: Any, n: Any) -> Any:
    data = o.Flatten(n.data, axis=1) if n.flatten and len(shape_of(n, "data")) != 2 else n.data
    exact = np.float32 if shape_of(n, "weight")[1] * 255 * 128 <= 2**24 else np.float64
    weight = o.Transpose(o.cast(n.weight, exact), perm=[1, 0])
    sums = o.cast(o.MatMul(o.cast(data, exact), weight), np.int32)
    return [_with_bias(o, n, sums, 0), *_product_range(o, n)]


def _passing(name: str, ours: str) -> None:
    """A layer that keeps the range: it computes with the integers as numbers."""

    def write(o: Any, n: Any) -> Any:
        rule = WRITES[ours]
        whole = n.data.dtype
        found = rule(o, with_first_input(n, o.cast(n.data, np.float32)))
        return [o.cast(o.Round(found), whole), *n.inputs[1:3]]

    quantized.write(name)(write)


_passing("_contrib_quantized_pooling", "Pooling")
_passing("_contrib_quantized_act", "Activation")


@quantized.write("_contrib_quantized_flatten")
def _(o: Any, n: Any) -> Any:
    return [o.Flatten(n.data, axis=1), *n.inputs[1:3]]


# ------------------------------------------------------------------------ reading


def _along(F: Any, n: Any, index: int, axis: int) -> Any:
    """A scale or a zero point, shaped to broadcast along an axis of the first input."""
    if n.rank(index) != 1 or n.shape(index) == (1,):
        return n[index]
    shape = [1] * n.rank(0)
    shape[axis] = -1
    return F.Reshape(n[index], shape=tuple(shape))


def _blocked(F: Any, n: Any, index: int, axis: int) -> Any:
    size = n.attribute("block_size", 0)
    value = _along(F, n, index, axis)
    return F.repeat(value, repeats=size, axis=axis) if size else value


def _axis(n: Any) -> int:
    axis: int = n.attribute("axis", 1) % max(1, n.rank(0))
    return axis


@quantized.read("DequantizeLinear")
def _(F: Any, n: Any) -> Any:
    axis = _axis(n)
    scale = _blocked(F, n, 1, axis)
    numbers = F.Cast(n[0], dtype="float32")
    if n.has(2):
        numbers = F.broadcast_sub(numbers, F.Cast(_blocked(F, n, 2, axis), dtype="float32"))
    return F.Cast(F.broadcast_mul(numbers, F.Cast(scale, dtype="float32")), dtype=n.dtype(1).name)


@quantized.read("QuantizeLinear")
def _(F: Any, n: Any) -> Any:
    axis = _axis(n)
    code = n.attribute("output_dtype", 0)
    dtype = n.dtype(2) if n.has(2) else dtype_of_type(code) if code else np.dtype(np.uint8)
    zero = _blocked(F, n, 2, axis) if n.has(2) else None
    return _quantized(F, n[0], _blocked(F, n, 1, axis), zero, dtype)


def _quantized(F: Any, numbers: Any, scale: Any, zero: Any, dtype: np.dtype[Any]) -> Any:
    if dtype not in (np.int8, np.uint8):
        raise NotImportable(f"quantization to {dtype.name}")
    exact = (F.Cast(each, dtype="float32") for each in (numbers, scale))
    levels = F._npi_around(F.broadcast_div(*exact))
    if zero is not None:
        levels = F.broadcast_add(levels, F.Cast(zero, dtype="float32"))
    limits = np.iinfo(dtype)
    return F.Cast(
        F.clip(levels, a_min=float(limits.min), a_max=float(limits.max)), dtype=dtype.name
    )


@quantized.read("DynamicQuantizeLinear")
def _(F: Any, n: Any) -> Any:
    low, high = F._np_min(n[0]), F._np_max(n[0])
    low, high = (
        F.clip(low, a_min=float("-inf"), a_max=0.0),
        F.clip(high, a_min=0.0, a_max=float("inf")),
    )
    scale = (high - low) / 255.0
    zero = F.clip(F._npi_around(-F.broadcast_div(low, scale)), a_min=0.0, a_max=255.0)
    whole = F.Cast(zero, dtype="uint8")
    return [_quantized(F, n[0], scale, whole, np.dtype(np.uint8)), scale, whole]


def _shifted(F: Any, n: Any, index: int, zero: int, rows: bool = False) -> Any:
    """Integers without their zero point, as float64, in which products are exact."""
    numbers = F.Cast(n[index], dtype="float64")
    if not n.has(zero):
        return numbers
    shift = F.Cast(n[zero], dtype="float64")
    if rows and n.rank(zero) == 1 and n.shape(zero) != (1,):
        shift = F.expand_dims(shift, axis=1)
    return F.broadcast_sub(numbers, shift)


@quantized.read("MatMulInteger")
def _(F: Any, n: Any) -> Any:
    product = F._npi_matmul(_shifted(F, n, 0, 2, rows=True), _shifted(F, n, 1, 3))
    return F.Cast(product, dtype="int32")


@quantized.read("QLinearMatMul")
def _(F: Any, n: Any) -> Any:
    product = F._npi_matmul(_shifted(F, n, 0, 2, rows=True), _shifted(F, n, 3, 5))
    scales = F.broadcast_mul(F.Cast(n[1], dtype="float64"), F.Cast(n[4], dtype="float64"))
    numbers = F.broadcast_mul(product, scales)
    return _quantized(F, numbers, n[6], n[7], n.dtype(7))


def _convolved(F: Any, n: Any, data: Any, weight: Any, index: int) -> Any:
    kernel = n.fixed_shape(index)[2:]
    rank = len(kernel)
    pads = n.attribute("pads") or [0] * (2 * rank)
    if n.attribute("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        raise NotImportable("auto_pad")
    width = ((0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True))
    data = F._npi_pad(data, pad_width=width, mode="constant", constant_value=0.0)
    return F.Convolution(
        data,
        weight,
        kernel=tuple(kernel),
        stride=tuple(n.attribute("strides") or [1] * rank),
        dilate=tuple(n.attribute("dilations") or [1] * rank),
        num_filter=n.fixed_shape(index)[0],
        num_group=n.attribute("group", 1),
        no_bias=True,
    )


@quantized.read("ConvInteger")
def _(F: Any, n: Any) -> Any:
    if n.has(3) and n.shape(3) not in ((), (1,)):
        raise NotImportable("a zero point for each filter")
    sums = _convolved(F, n, _shifted(F, n, 0, 2), _shifted(F, n, 1, 3), 1)
    return F.Cast(sums, dtype="int32")


@quantized.read("QLinearConv")
def _(F: Any, n: Any) -> Any:
    rank = n.rank(0)
    filters = (-1, *[1] * (rank - 1))
    weight = F.Cast(n[3], dtype="float64")
    zero = F.Cast(n[5], dtype="float64")
    weight = F.broadcast_sub(
        weight, F.Reshape(zero, shape=filters) if n.shape(5) not in ((), (1,)) else zero
    )
    sums = _convolved(F, n, _shifted(F, n, 0, 2), weight, 3)
    channels = (1, -1, *[1] * (rank - 2))
    if n.has(8):
        sums = F.broadcast_add(sums, F.Reshape(F.Cast(n[8], dtype="float64"), shape=channels))
    scale = F.broadcast_mul(F.Cast(n[1], dtype="float64"), F.Cast(n[4], dtype="float64"))
    scale = F.Reshape(scale, shape=channels) if n.shape(4) not in ((), (1,)) else scale
    return _quantized(F, F.broadcast_mul(sums, scale), n[6], n[7], n.dtype(7))
