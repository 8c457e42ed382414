"""Convolution, pooling, products of matrices."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.ops.deconvolution import transposed_convolution
from gluonic.graph.ops.pooling import window_count
from gluonic.graph.ops.pooling_kernels import Pool, counted
from gluonic.graph.ops.windows import first_shape, is_channels_last, windows_of
from gluonic.onnx.errors import NotExportable, NotImportable
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


# ------------------------------------------------------------------------ reading


def padding(
    n: Any, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> list[tuple[int, int]]:
    """The padding before and after each spatial axis."""
    rank, kind = len(kernel), n.attribute("auto_pad", "NOTSET")
    if kind in ("NOTSET", "VALID"):
        pads = n.attribute("pads") if kind == "NOTSET" else None
        pads = pads or [0] * (2 * rank)
        return list(zip(pads[:rank], pads[rank:], strict=True))
    found = []
    sizes = n.fixed_shape()[2:]
    for size, k, stride, dilation in zip(sizes, kernel, strides, dilations, strict=True):
        total = max(0, (-(-size // stride) - 1) * stride + dilation * (k - 1) + 1 - size)
        less, more = total // 2, total - total // 2
        found.append((less, more) if kind == "SAME_UPPER" else (more, less))
    return found


def padded(F: Any, data: Any, pads: Sequence[tuple[int, int]], number: float) -> Any:
    """Images with a number around them."""
    width = ((0, 0), (0, 0), *pads)
    return F._npi_pad(data, pad_width=tuple(width), mode="constant", constant_value=number)


def _even(pads: Sequence[tuple[int, int]]) -> bool:
    return all(before == after >= 0 for before, after in pads)


@layers.read("Conv")
def _(F: Any, n: Any) -> Any:
    weight = n.fixed_shape(1)
    kernel = weight[2:]
    rank = len(kernel)
    if not 1 <= rank <= 3:
        raise NotImportable(f"a convolution over {rank} axes")
    strides, dilations = (n.attribute(name) or [1] * rank for name in ("strides", "dilations"))
    pads, data = padding(n, kernel, strides, dilations), n[0]
    if not _even(pads):
        data, pads = padded(F, data, pads, 0.0), [(0, 0)] * rank
    return F.Convolution(
        data,
        n[1],
        n[2],
        kernel=tuple(kernel),
        stride=tuple(strides),
        dilate=tuple(dilations),
        pad=tuple(before for before, _ in pads),
        num_filter=weight[0],
        num_group=n.attribute("group", 1),
        no_bias=not n.has(2),
    )


@layers.read("ConvTranspose")
def _(F: Any, n: Any) -> Any:
    weight, group = n.fixed_shape(1), n.attribute("group", 1)
    kernel = weight[2:]
    rank = len(kernel)
    strides, dilations = (n.attribute(name) or [1] * rank for name in ("strides", "dilations"))
    extra = n.attribute("output_padding") or [0] * rank
    pads = n.attribute("pads") or [0] * (2 * rank)
    pads = list(zip(pads[:rank], pads[rank:], strict=True))
    wanted, kind = n.attribute("output_shape"), n.attribute("auto_pad", "NOTSET")
    full = None
    if wanted or kind in ("SAME_UPPER", "SAME_LOWER"):
        sizes = n.fixed_shape()[2:]
        wanted = wanted or [size * stride for size, stride in zip(sizes, strides, strict=True)]
        full = [
            s * (size - 1) + d * (k - 1) + 1
            for s, size, d, k in zip(strides, sizes, dilations, kernel, strict=True)
        ]
        totals = [a + b - w for a, b, w in zip(full, extra, wanted[-rank:], strict=True)]
        extra = [max(e, -t) if t < 0 else e for e, t in zip(extra, totals, strict=True)]
        totals = [max(0, t) for t in totals]
        less = [(t // 2, t - t // 2) for t in totals]
        pads = less if kind == "SAME_UPPER" else [(b, a) for a, b in less]
    even = _even(pads) and all(e < s for e, s in zip(extra, strides, strict=True))
    result = F.Deconvolution(
        n[0],
        n[1],
        n[2],
        kernel=tuple(kernel),
        stride=tuple(strides),
        dilate=tuple(dilations),
        pad=tuple(before for before, _ in pads) if even else (0,) * rank,
        adj=tuple(extra) if even else (0,) * rank,
        num_filter=weight[1] * group,
        num_group=group,
        no_bias=not n.has(2),
    )
    if even:
        return result
    result = padded(F, result, [(0, e) for e in extra], 0.0) if any(extra) else result
    if n.has(2) and any(extra):
        raise NotImportable("output_padding of at least a stride, with a bias")
    begins = (0, 0, *[before for before, _ in pads])
    ends = (None, None, *[-after if after else None for _, after in pads])
    return F.slice(result, begin=begins, end=ends)


@layers.read("MaxPool", "AveragePool", "LpPool")
def _(F: Any, n: Any) -> Any:
    kernel = n.attribute("kernel_shape")
    rank = len(kernel)
    if rank > 3 or n.output_count > 1:
        raise NotImportable("pooling with indices" if n.output_count > 1 else f"over {rank} axes")
    strides, dilations = (n.attribute(name) or [1] * rank for name in ("strides", "dilations"))
    if any(d != 1 for d in dilations):
        raise NotImportable("pooling with dilations")
    pads = padding(n, kernel, strides, dilations)
    kind = {"MaxPool": "max", "AveragePool": "avg", "LpPool": "lp"}[n.node.op_type]
    settings: dict[str, Any] = {
        "kernel": tuple(kernel),
        "stride": tuple(strides),
        "pool_type": kind,
    }
    if kind == "lp":
        settings["p_value"] = n.attribute("p", 2)
    counts_pads = bool(n.attribute("count_include_pad", 0))
    if kind == "avg":
        settings["count_include_pad"] = counts_pads
    if n.dtype().kind != "f":
        raise NotImportable(f"pooling of {n.dtype().name}")
    if not n.attribute("ceil_mode", 0) and _even(pads):
        return F.Pooling(n[0], pad=tuple(before for before, _ in pads), **settings)
    sizes = n.fixed_shape()[2:]
    ends = []
    for size, k, stride, (before, after) in zip(sizes, kernel, strides, pads, strict=True):
        reach = size + before + after - k
        count = -(-reach // stride) if n.attribute("ceil_mode", 0) else reach // stride
        if count * stride >= size + before:  # a window must begin inside the image, or before it
            count -= 1
        ends.append(max(0, count * stride + k - size - before))
    around = [(before, end) for (before, _), end in zip(pads, ends, strict=True)]
    if kind != "avg":
        number = float(np.finfo(n.dtype()).min) if kind == "max" else 0.0
        return F.Pooling(padded(F, n[0], around, number), **settings)
    settings["count_include_pad"] = True
    ones = np.ones((1, 1, *sizes), n.dtype())
    inside = np.pad(ones, ((0, 0), (0, 0), *pads), constant_values=1.0 if counts_pads else 0.0)
    beyond = [(0, end - after) for end, (_, after) in zip(ends, pads, strict=True)]
    if any(b < 0 for _, b in beyond):
        raise NotImportable("padding that no window reaches")
    inside = np.pad(inside, ((0, 0), (0, 0), *beyond))
    shares = F.Pooling(n.constant(inside.astype(n.dtype())), **settings)
    return F.broadcast_div(F.Pooling(padded(F, n[0], around, 0.0), **settings), shares)


@layers.read("GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool")
def _(F: Any, n: Any) -> Any:
    kind = {"GlobalMaxPool": "max", "GlobalAveragePool": "avg", "GlobalLpPool": "lp"}[
        n.node.op_type
    ]
    extra = {"p_value": n.attribute("p", 2)} if kind == "lp" else {}
    return F.Pooling(n[0], global_pool=True, pool_type=kind, **extra)


@layers.read("Gemm")
def _(F: Any, n: Any) -> Any:
    alpha, beta = n.attribute("alpha", 1.0), n.attribute("beta", 1.0)
    flips = n.attribute("transA", 0), n.attribute("transB", 0)
    weight, bias = n.known_or_none(1), n.known_or_none(2)
    is_layer = weight is not None and alpha == 1 and not flips[0] and n.dtype().kind == "f"
    if is_layer and (
        not n.has(2)
        or (bias is not None and beta == 1 and bias.shape == (n.shape(1)[1 - flips[1]],))
    ):
        assert weight is not None
        rows = n[1] if flips[1] else n.constant(np.ascontiguousarray(weight.T), n.inputs[1].name)
        return F.FullyConnected(
            n[0], rows, n[2], num_hidden=n.shape(1)[1 - flips[1]], no_bias=not n.has(2)
        )
    product = F.dot(n[0], n[1], transpose_a=bool(flips[0]), transpose_b=bool(flips[1]))
    product = product if alpha == 1 else product * alpha
    if not n.has(2):
        return product
    return F.broadcast_add(product, n[2] if beta == 1 else n[2] * beta)


@layers.read("MatMul")
def _(F: Any, n: Any) -> Any:
    weight = n.known_or_none(1)
    if weight is not None and weight.ndim == 2 and n.rank(0) > 1 and n.dtype().kind == "f":
        rows = n.constant(np.ascontiguousarray(weight.T), n.inputs[1].name)
        return F.FullyConnected(n[0], rows, num_hidden=weight.shape[1], no_bias=True, flatten=False)
    if n.dtype().kind in "iu":
        product = F._npi_matmul(*[F.Cast(each, dtype="float64") for each in n.entries])
        return F.Cast(product, dtype=n.dtype().name)
    if n.rank(0) == n.rank(1) == 3:
        return F.batch_dot(n[0], n[1])
    return F._npi_matmul(n[0], n[1])


@layers.read("Einsum")
def _(F: Any, n: Any) -> Any:
    return F._npi_einsum(*n.entries, subscripts=n.attribute("equation").replace(" ", ""))


@layers.read("Det")
def _(F: Any, n: Any) -> Any:
    return F._npi_det(n[0])
