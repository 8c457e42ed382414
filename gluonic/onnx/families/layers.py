"""Convolution, pooling, products of matrices."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.ops.deconvolution import transposed_convolution
from gluonic.graph.ops.pooling import window_count
from gluonic.graph.ops.pooling_kernels import Pool, counted
from gluonic.graph.ops.windows import first_shape, is_channels_last, windows_of
from gluonic.onnx.errors import NotExportable
from gluonic.onnx.sizes import all_fixed
from gluonic.onnx.table import family
from gluonic.onnx.use import one_element, output_shape, reshaped, settings_of, shape_of, size_vector

layers = family("convolution, pooling and products")


def channels_first(o: Any, value: Any, rank: int) -> Any:
    """Images with the channels last as images with the channels first."""
    return o.Transpose(value, perm=[0, rank - 1, *range(1, rank - 1)])


def channels_last(o: Any, value: Any, rank: int) -> Any:
    """Images with the channels first as images with the channels last."""
    return o.Transpose(value, perm=[0, *range(2, rank), 1])


@layers.write("Convolution")
def _(o: Any, n: Any) -> Any:
    last, rank = is_channels_last(n.layout), len(shape_of(n, "data"))
    windows = windows_of(n.kernel, n.stride, n.pad, n.dilate, n.layout, "Convolution")
    data, weight = n.data, n.weight
    if last:
        data, weight = (channels_first(o, each, rank) for each in (data, weight))
    result = o.Conv(
        data,
        weight,
        n.bias,
        kernel_shape=list(n.kernel),
        strides=list(windows.stride),
        dilations=list(windows.dilate),
        pads=[*windows.pad, *windows.pad],
        group=n.num_group,
    )
    return channels_last(o, result, rank) if last else result


@layers.write("Deconvolution")
def _(o: Any, n: Any) -> Any:
    last, rank = is_channels_last(n.layout), len(shape_of(n, "data"))
    shape = first_shape(shape_of(n, "data"), last)
    names = ("kernel", "stride", "pad", "dilate", "adj", "target_shape", "layout")
    geometry = {name: settings_of(n)[name] for name in names}
    transposed = transposed_convolution(shape, "Deconvolution", **geometry)
    windows = transposed.windows
    extra = []
    for size, length, stride, pad, reach in zip(
        shape[2:], transposed.spatial, windows.stride, windows.pad, windows.extents(), strict=True
    ):
        rest = length - (stride * (size - 1) + reach - 2 * pad)
        extra.append(rest if isinstance(rest, int) else _refuse("target_shape"))
    data, weight = n.data, n.weight
    if last:
        data, weight = (channels_first(o, each, rank) for each in (data, weight))
    result = o.ConvTranspose(
        data,
        weight,
        n.bias,
        kernel_shape=list(n.kernel),
        strides=list(windows.stride),
        dilations=list(windows.dilate),
        pads=[*windows.pad, *windows.pad],
        output_padding=extra,
        group=n.num_group,
    )
    return channels_last(o, result, rank) if last else result


def _refuse(name: str) -> Any:
    raise NotExportable(f"{name} with sizes that depend on the inputs")


@layers.write("Pooling", "Pooling_v1")
def _(o: Any, n: Any) -> Any:
    settings = settings_of(n)
    if n._application.op.name == "Pooling_v1" and (any(n.pad) or n.pooling_convention != "valid"):
        raise NotExportable("windows beyond the image, which Pooling_v1 counts otherwise")
    last, rank = is_channels_last(settings.get("layout")), len(shape_of(n, "data"))
    data = channels_first(o, n.data, rank) if last else n.data
    shape = first_shape(shape_of(n, "data"), last)
    power = settings.get("p_value") or 1
    pooled = (
        _pooled_globally(o, data, n, power, rank)
        if n.global_pool
        else _pooled(o, data, n, shape, power)
    )
    return channels_last(o, pooled, rank) if last else pooled


def _pooled_globally(o: Any, data: Any, n: Any, power: int, rank: int) -> Any:
    if n.pool_type == "sum":
        return o.reduce("ReduceSum", data, range(2, rank), keepdims=True)
    if n.pool_type == "lp":
        return o.GlobalLpPool(data, p=power)
    return o.GlobalMaxPool(data) if n.pool_type == "max" else o.GlobalAveragePool(data)


def _pooled(o: Any, data: Any, n: Any, shape: Sequence[Any], power: int) -> Any:
    settings = settings_of(n)
    windows = windows_of(n.kernel, n.stride, n.pad, (), settings.get("layout"), "Pooling")
    convention = n.pooling_convention
    spatial = shape[2:]
    geometry: dict[str, Any] = {"kernel_shape": list(n.kernel), "strides": list(windows.stride)}
    begin, end = list(windows.pad), list(windows.pad)
    is_odd = False
    if convention != "valid":
        if not all_fixed(spatial):
            if convention == "same" or n.pool_type != "max":
                raise NotExportable(f"pooling_convention={convention!r} with open sizes")
            geometry["ceil_mode"] = 1
        else:
            parts = zip(spatial, n.kernel, windows.stride, windows.pad, strict=True)
            for axis, (size, kernel, stride, pad) in enumerate(parts):
                count: Any = window_count(size, kernel, stride, pad, convention)
                end[axis] = max(pad, (count - 1) * stride + kernel - size - pad)
                is_odd = is_odd or end[axis] != pad
    geometry["pads"] = begin + end
    if n.pool_type == "max":
        return o.MaxPool(data, **geometry)
    if n.pool_type == "lp":
        return o.LpPool(data, p=power, **geometry)
    area = float(prod(n.kernel))
    if n.pool_type == "sum":
        return o.Mul(o.AveragePool(data, count_include_pad=1, **geometry), area)
    includes_pad = settings.get("count_include_pad") is not False
    if not is_odd:
        return o.AveragePool(data, count_include_pad=int(includes_pad), **geometry)
    counts = tuple(
        (size + a + b - kernel) // stride + 1
        for size, a, b, kernel, stride in zip(
            spatial, begin, end, n.kernel, windows.stride, strict=True
        )
    )
    divisor = counted(
        tuple(spatial), Pool(n.kernel, windows.stride, windows.pad, counts), includes_pad
    )
    factor = (area / divisor).astype(data.dtype)
    return o.Mul(o.AveragePool(data, count_include_pad=1, **geometry), factor)


@layers.write("FullyConnected")
def _(o: Any, n: Any) -> Any:
    data, shape = n.data, shape_of(n, "data")
    if n.flatten or len(shape) == 2:
        if len(shape) != 2:
            data = o.Flatten(data, axis=1)
        return o.Gemm(data, n.weight, n.bias, transB=1)
    product = o.MatMul(data, o.Transpose(n.weight, perm=[1, 0]))
    return product if n.bias is None else o.Add(product, n.bias)


def transposed(o: Any, value: Any, rank: int) -> Any:
    """Matrices with rows and columns exchanged."""
    axes = list(range(rank))
    axes[-2:] = axes[:-3:-1]
    return o.Transpose(value, perm=axes)


@layers.write("batch_dot")
def _(o: Any, n: Any) -> Any:
    return o.MatMul(*_factors(o, n, n.lhs, n.rhs))


def _factors(o: Any, n: Any, lhs: Any, rhs: Any) -> tuple[Any, Any]:
    """The factors of a product, transposed where the attributes say so."""
    if n.transpose_a:
        lhs = transposed(o, lhs, len(shape_of(n, 0)))
    if n.transpose_b:
        rhs = transposed(o, rhs, len(shape_of(n, 1)))
    return lhs, rhs


@layers.write("dot")
def _(o: Any, n: Any) -> Any:
    (a, b), lhs, rhs = (shape_of(n, 0), shape_of(n, 1)), n.lhs, n.rhs
    if n.transpose_a and len(a) > 1:
        lhs = o.Transpose(lhs, perm=[*range(1, len(a)), 0])
        a = (*a[1:], a[0])
    if n.transpose_b and len(b) > 1:
        rhs = o.Transpose(rhs, perm=[len(b) - 1, *range(len(b) - 1)])
        b = (b[-1], *b[:-1])
    if len(b) <= 2 and len(a) >= 1:
        product = o.MatMul(lhs, rhs)
        return o.Reshape(product, [1]) if len(a) == len(b) == 1 else product
    columns: Any = 1
    for extent in b[1:]:
        columns = columns * extent
    product = o.MatMul(lhs, reshaped(o, n, rhs, b, (b[0], columns)))
    return reshaped(o, n, product, (*a[:-1], columns), output_shape(n))


@layers.write("_npi_matmul")
def _(o: Any, n: Any) -> Any:
    return o.MatMul(*n.inputs)


@layers.write("_np_dot")
def _(o: Any, n: Any) -> Any:
    (a, b), (lhs, rhs) = (shape_of(n, 0), shape_of(n, 1)), n.inputs
    if not a or not b:
        return o.Mul(lhs, rhs)
    if len(a) > 1 and len(b) > 2:
        letters = "abcdefghijklmnopqrstuvwxy"
        left, right = letters[: len(a) - 1], letters[len(a) - 1 :][: len(b) - 1]
        return o.Einsum(lhs, rhs, equation=f"{left}z,{right[:-1]}z{right[-1]}->{left}{right}")
    return o.MatMul(lhs, rhs)


@layers.write("_linalg_gemm2", "_linalg_gemm")
def _(o: Any, n: Any) -> Any:
    if n.axis != -2:
        raise NotExportable("axis must be -2")
    product = o.MatMul(*_factors(o, n, n.A, n.B))
    if n.alpha != 1:
        product = o.Mul(product, n.alpha)
    return product if len(n.inputs) == 2 else o.Add(product, o.Mul(n.C, n.beta))


@layers.write("_linalg_syrk")
def _(o: Any, n: Any) -> Any:
    flipped = transposed(o, n.A, len(shape_of(n, 0)))
    product = o.MatMul(flipped, n.A) if n.transpose else o.MatMul(n.A, flipped)
    return o.Mul(product, n.alpha)


@layers.write("_linalg_trmm")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, 0))
    factor = o.Trilu(n.A, None, upper=int(not n.lower))
    factor = transposed(o, factor, rank) if n.transpose else factor
    product = o.MatMul(n.B, factor) if n.rightside else o.MatMul(factor, n.B)
    return o.Mul(product, n.alpha)


@layers.write("_linalg_sumlogdiag")
def _(o: Any, n: Any) -> Any:
    size = shape_of(n, 0)[-1]
    if not isinstance(size, int):
        raise NotExportable("a matrix whose size depends on the inputs")
    masked = o.Mul(n.A, np.eye(size, dtype=n.A.dtype))
    return one_element(
        o, n, o.reduce("ReduceSum", o.Log(o.reduce("ReduceSum", masked, [-1])), [-1])
    )


@layers.write("_linalg_det")
def _(o: Any, n: Any) -> Any:
    return one_element(o, n, o.Det(n.A))


@layers.write("_npi_einsum")
def _(o: Any, n: Any) -> Any:
    return o.Einsum(*n.inputs, equation=n.subscripts.replace(" ", ""))


def _heads(
    o: Any, n: Any, value: Any, shape: Sequence[Any], parts: int, which: int, heads: int
) -> Any:
    """One part of all heads as matrices, (batch · heads, length, size)."""
    length, batch, width = shape
    size = width // (heads * parts)
    by_head = o.Reshape(value, size_vector(n, (length, batch * heads, parts, size)))
    part = o.Gather(by_head, np.array(which, np.int64), axis=2)
    return o.Transpose(part, perm=[1, 0, 2])


def _scores(o: Any, n: Any, queries: Any, keys: Any, width: Any, heads: int) -> Any:
    if not isinstance(width, int):
        raise NotExportable("a width that depends on the inputs")
    scaled = o.Mul(queries, float((width // heads) ** -0.5))
    return o.MatMul(scaled, o.Transpose(keys, perm=[0, 2, 1]))


def _joined(o: Any, n: Any, values: Any) -> Any:
    return o.Reshape(o.Transpose(values, perm=[1, 0, 2]), size_vector(n, output_shape(n)))


@layers.write("_contrib_interleaved_matmul_selfatt_qk")
def _(o: Any, n: Any) -> Any:
    shape = shape_of(n, 0)
    queries, keys = (_heads(o, n, n.queries_keys_values, shape, 3, i, n.heads) for i in (0, 1))
    return _scores(o, n, queries, keys, shape[2] // 3, n.heads)


@layers.write("_contrib_interleaved_matmul_selfatt_valatt")
def _(o: Any, n: Any) -> Any:
    values = _heads(o, n, n.queries_keys_values, shape_of(n, 0), 3, 2, n.heads)
    return _joined(o, n, o.MatMul(n.attention, values))


@layers.write("_contrib_interleaved_matmul_encdec_qk")
def _(o: Any, n: Any) -> Any:
    queries = _heads(o, n, n.queries, shape_of(n, 0), 1, 0, n.heads)
    keys = _heads(o, n, n.keys_values, shape_of(n, 1), 2, 0, n.heads)
    return _scores(o, n, queries, keys, shape_of(n, 0)[2], n.heads)


@layers.write("_contrib_interleaved_matmul_encdec_valatt")
def _(o: Any, n: Any) -> Any:
    values = _heads(o, n, n.keys_values, shape_of(n, 0), 2, 1, n.heads)
    return _joined(o, n, o.MatMul(n.attention, values))


@layers.write("_contrib_div_sqrt_dim")
def _(o: Any, n: Any) -> Any:
    size = o.cast(size_vector(n, shape_of(n, 0)[-1:]), n.data.dtype)
    return o.Div(n.data, o.Sqrt(size))
