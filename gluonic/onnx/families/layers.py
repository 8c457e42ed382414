"""Convolution and pooling."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.graph import Array
from gluonic.graph.ops.deconvolution import transposed_convolution
from gluonic.graph.ops.pooling import window_count
from gluonic.graph.ops.pooling_kernels import Pool, counted
from gluonic.graph.ops.windows import first_shape, is_channels_last, windows_of
from gluonic.onnx.errors import NotExportable, NotImportable
from gluonic.onnx.sizes import all_fixed
from gluonic.onnx.table import family
from gluonic.onnx.tensors import check_size
from gluonic.onnx.use import operator_of, settings_of, shape_of

layers = family("convolution and pooling")


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
    shape: tuple[Any, ...] = first_shape(shape_of(n, "data"), last)
    names = ("kernel", "stride", "pad", "dilate", "adj", "target_shape", "layout")
    geometry = {name: settings_of(n)[name] for name in names}
    transposed = transposed_convolution(shape, "Deconvolution", **geometry)
    windows = transposed.windows
    extra = []
    lengths: Any = transposed.spatial
    for size, length, stride, pad, reach in zip(
        shape[2:], lengths, windows.stride, windows.pad, windows.extents(), strict=True
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
    if operator_of(n).name == "Pooling_v1" and (any(n.pad) or n.pooling_convention != "valid"):
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
    if n.pool_type == "sum" or (n.pool_type == "lp" and power == 1):
        return o.reduce("ReduceSum", data, range(2, rank), keepdims=True)
    if n.pool_type == "lp":
        _check_power(power)
        return o.GlobalLpPool(data, p=power)
    return o.GlobalMaxPool(data) if n.pool_type == "max" else o.GlobalAveragePool(data)


def _check_power(power: int) -> None:
    """ONNX takes absolute values, which a square does not need."""
    if power != 2:
        raise NotExportable(f"p_value={power}, whose powers keep the sign")


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
    if any(after >= kernel for after, kernel in zip(end, n.kernel, strict=True)):
        lowest = np.finfo(data.dtype).min if n.pool_type == "max" else 0
        around = [0, 0, *begin, 0, 0, *end]
        data = o.Pad(data, around, np.array(lowest, data.dtype))
        begin_of_windows = end_of_windows = [0] * len(begin)
    else:
        begin_of_windows, end_of_windows = begin, end
    geometry["pads"] = begin_of_windows + end_of_windows
    if n.pool_type == "max":
        return o.MaxPool(data, **geometry)
    area = float(prod(n.kernel))
    if n.pool_type == "lp" and power > 1:
        _check_power(power)
        return o.LpPool(data, p=power, **geometry)
    if n.pool_type in ("sum", "lp"):
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
    sizes = n.fixed_shape(first=2)
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
        sizes = n.fixed_shape(first=2)
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


_POOLS = {"MaxPool": "max", "AveragePool": "avg", "LpPool": "lp"}


@layers.read("MaxPool", "AveragePool", "LpPool")
def _(F: Any, n: Any) -> Any:
    kernel = n.attribute("kernel_shape")
    rank, kind = len(kernel), _POOLS[n.node.op_type]
    strides, dilations = (n.attribute(name) or [1] * rank for name in ("strides", "dilations"))
    _check_pool(n, rank, dilations)
    pads = padding(n, kernel, strides, dilations)
    settings: dict[str, Any] = {
        "kernel": tuple(kernel),
        "stride": tuple(strides),
        "pool_type": kind,
    }
    if kind == "lp":
        settings["p_value"] = n.attribute("p", 2)
    data = F.abs(n[0]) if kind == "lp" else n[0]  # MXNet's powers keep the sign
    counts_pads = bool(n.attribute("count_include_pad", 0))
    if not n.attribute("ceil_mode", 0) and _even(pads):
        extra = {"count_include_pad": counts_pads} if kind == "avg" else {}
        return F.Pooling(data, pad=tuple(before for before, _ in pads), **settings, **extra)
    around = _reached(n, kernel, strides, pads)
    if kind != "avg":
        number = float(np.finfo(n.dtype()).min) if kind == "max" else 0.0
        return F.Pooling(padded(F, data, around, number), **settings)
    shares = F.Pooling(n.constant(_counted(n, pads, around, counts_pads)), **settings)
    return F.broadcast_div(F.Pooling(padded(F, n[0], around, 0.0), **settings), shares)


def _check_pool(n: Any, rank: int, dilations: Sequence[int]) -> None:
    if n.output_count > 1:
        raise NotImportable("pooling with indices")
    if rank > 3:
        raise NotImportable(f"pooling over {rank} axes")
    if any(dilation != 1 for dilation in dilations):
        raise NotImportable("pooling with dilations")
    if n.dtype().kind != "f":
        raise NotImportable(f"pooling of {n.dtype().name}")
    if n.node.op_type == "LpPool" and n.attribute("p", 2) > 3:
        raise NotImportable(f"a norm of order {n.attribute('p')}")


def _reached(
    n: Any, kernel: Sequence[int], strides: Sequence[int], pads: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The padding that windows reach; a window begins inside the image, or before it."""
    around = []
    sizes = n.fixed_shape(first=2)
    for size, k, stride, (before, after) in zip(sizes, kernel, strides, pads, strict=True):
        reach = size + before + after - k
        last = -(-reach // stride) if n.attribute("ceil_mode", 0) else reach // stride
        last -= last * stride >= size + before
        around.append((before, max(0, last * stride + k - size - before)))
    return around


def _counted(
    n: Any, pads: Sequence[tuple[int, int]], around: Sequence[tuple[int, int]], with_pads: bool
) -> Array:
    """1 for each pixel that a mean counts, 0 for the others."""
    ends = zip(n.fixed_shape(first=2), pads, around, strict=True)
    check_size(size + before + max(after, end) for size, (before, after), (_, end) in ends)
    counted = np.ones((1, 1, *n.fixed_shape(first=2)), n.dtype())
    counted = np.pad(counted, ((0, 0), (0, 0), *pads), constant_values=float(with_pads))
    beyond = [(0, end - after) for (_, end), (_, after) in zip(around, pads, strict=True)]
    if any(after < 0 for _, after in beyond):
        raise NotImportable("padding that no window reaches")
    return np.pad(counted, ((0, 0), (0, 0), *beyond))


@layers.read("GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool")
def _(F: Any, n: Any) -> Any:
    kind = {"GlobalMaxPool": "max", "GlobalAveragePool": "avg", "GlobalLpPool": "lp"}[
        n.node.op_type
    ]
    extra = {"p_value": n.attribute("p", 2)} if kind == "lp" else {}
    return F.Pooling(
        F.abs(n[0]) if kind == "lp" else n[0], global_pool=True, pool_type=kind, **extra
    )
