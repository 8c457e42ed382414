"""Layers: modules where their parameters are constants that no other node reads, otherwise functions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable
from gluonic.pytorch.code import Several, call, number, sequence, shared
from gluonic.pytorch.table import emits


def _weights(n: Any, *indices: int) -> list[str]:
    """Parameters as arguments of a function."""
    return [n[index] for index in indices if n.has(index)]


@emits("Conv", "ConvTranspose")
def _(n: Any) -> str:
    kernel, groups = n.get("kernel_shape"), n.get("group", 1)
    rank = len(kernel)
    padding = _even_padding(n, rank)
    geometry = {
        "stride": (shared(n.get("strides") or [1] * rank), "1"),
        "padding": (shared(padding), "0"),
        "output_padding": (shared(n.get("output_padding") or [0] * rank), "0"),
        "groups": (groups, 1),
        "dilation": (shared(n.get("dilations") or [1] * rank), "1"),
    }
    is_transposed = n.op_type == "ConvTranspose"
    if n.owns(1, 2):
        weight = n.shape(1)
        channels = (weight[0], weight[1] * groups)
        ins, outs = channels if is_transposed else channels[::-1]
        kind = f"nn.Conv{'Transpose' * is_transposed}{rank}d"
        bias = (n.has(2), True)
        made = call(kind, ins, outs, shared(kernel), **geometry, bias=bias)
        return f"{n.layer(made, {'weight': 1, 'bias': 2})}({n[0]})"
    function = f"F.conv{'_transpose' * is_transposed}{rank}d"
    return call(function, n[0], *_weights(n, 1, 2), **geometry)


def _even_padding(n: Any, rank: int) -> Sequence[int]:
    pads: Sequence[int] = n.get("pads") or [0] * (2 * rank)
    if pads[:rank] != pads[rank:]:
        raise NotExportable("uneven padding")
    return pads[:rank]


@emits("Linear")
def _(n: Any) -> str:
    if n.owns(1, 2):
        outs, ins = n.shape(1)
        made = call("nn.Linear", ins, outs, bias=(n.has(2), True))
        return f"{n.layer(made, {'weight': 1, 'bias': 2})}({n[0]})"
    return call("F.linear", n[0], *_weights(n, 1, 2))


@emits("Embedding")
def _(n: Any) -> str:
    index = f"{n.atom(0)}.to(torch.int64)" if n.dtype(0) != np.int64 else n[0]
    if n.owns(1):
        made = call("nn.Embedding", *n.shape(1))
        return f"{n.layer(made, {'weight': 1})}({index})"
    return call("F.embedding", index, n[1])


@emits("Dropout")
def _(n: Any) -> str:
    return f"{n.layer(call('nn.Dropout', n.get('ratio')), {})}({n[0]})"


@emits("PReLU")
def _(n: Any) -> str:
    if n.owns(1):
        return f"{n.layer(call('nn.PReLU', n.shape(1)[0]), {'weight': 1})}({n[0]})"
    return call("F.prelu", n[0], n[1])


@emits("PRelu")
def _(n: Any) -> str:
    data = n.variable(0)
    return f"torch.where({data} < 0, {n.atom(1)} * {data}, {data})"


@emits("BatchNormalization")
def _(n: Any) -> str:
    eps, momentum = n.get("epsilon", 1e-5), round(1 - n.get("momentum", 0.9), 12)
    rank = n.rank(0)
    kind = {2: "1d", 3: "1d", 4: "2d", 5: "3d"}.get(rank or 0)
    if kind is not None and n.owns(1, 2, 3, 4):
        made = call(f"nn.BatchNorm{kind}", n.shape(1)[0], eps=(eps, 1e-5), momentum=(momentum, 0.1))
        arrays = {"weight": 1, "bias": 2, "running_mean": 3, "running_var": 4}
        return f"{n.layer(made, arrays)}({n[0]})"
    return call("F.batch_norm", n[0], n[3], n[4], n[1], n[2], eps=(eps, 1e-5))


@emits("LayerNormalization")
def _(n: Any) -> str:
    eps, (size,) = (n.get("epsilon", 1e-5), 1e-5), n.shape(1)
    if n.owns(1, 2):
        return f"{n.layer(call('nn.LayerNorm', size, eps=eps), {'weight': 1, 'bias': 2})}({n[0]})"
    return call("F.layer_norm", n[0], f"({size},)", *_weights(n, 1, 2), eps=eps)


@emits("InstanceNormalization")
def _(n: Any) -> str:
    eps = n.get("epsilon", 1e-5)
    return call("F.instance_norm", n[0], weight=(n[1], None), bias=(n[2], None), eps=(eps, 1e-5))


@emits("LRN")
def _(n: Any) -> str:
    alpha, beta, bias = n.get("alpha", 1e-4), n.get("beta", 0.75), n.get("bias", 1.0)
    return call("F.local_response_norm", n[0], n.get("size"), alpha, beta, bias)


# ------------------------------------------------------------------------ recurrent layers

_RECURRENT = {"lstm": "nn.LSTM", "gru": "nn.GRU", "rnn_tanh": "nn.RNN", "rnn_relu": "nn.RNN"}


@emits("Recurrent")
def _(n: Any) -> str:
    mode = n.get("mode")
    relu = '"relu"' if mode == "rnn_relu" else None
    made = call(
        _RECURRENT[mode],
        n.get("features"),
        n.get("hidden_size"),
        n.get("num_layers"),
        nonlinearity=(relu, None),
        dropout=(n.get("dropout"), 0.0),
        bidirectional=(n.get("bidirectional"), False),
    )
    layer = n.layer(made, n.get("weights"))
    states = [n[index] for index in (1, 2) if n.has(index)]
    begin = {0: [], 1: states, 2: [sequence(states)]}[len(states)]
    pattern = "{}, ({}, {})" if mode == "lstm" else "{}, {}"
    return Several(call(layer, n[0], *begin), pattern)


# ------------------------------------------------------------------------ pooling


@emits("MaxPool", "AveragePool", "LpPool")
def _(n: Any) -> str:
    kernel = n.get("kernel_shape")
    rank = len(kernel)
    pads = n.get("pads") or [0] * (2 * rank)
    begin, end = pads[:rank], pads[rank:]
    data, padding = n[0], shared(begin)
    counts = bool(n.get("count_include_pad", 0))
    is_average = n.op_type == "AveragePool"
    fits = begin == end and all(2 * pad <= size for pad, size in zip(begin, kernel, strict=True))
    if any(pads) and (n.op_type == "LpPool" or not fits):
        if is_average and not counts:
            raise NotExportable("uneven padding that means leave out")
        lowest = number(np.array(-np.inf)) if n.op_type == "MaxPool" else "0"
        data, padding = padded(n[0], begin, end, lowest), "0"
    geometry = {
        "stride": (shared(n.get("strides") or [1] * rank), shared(kernel)),
        "padding": (padding, "0"),
        "ceil_mode": (bool(n.get("ceil_mode", 0)), False),
    }
    if is_average and padding != "0":
        geometry["count_include_pad"] = (counts, True)
    if n.op_type == "LpPool":
        del geometry["padding"]
        return call(f"F.lp_pool{rank}d", data, n.get("p", 2), shared(kernel), **geometry)
    word = "avg" if is_average else "max"
    return call(f"F.{word}_pool{rank}d", data, shared(kernel), **geometry)


def padded(data: str, begin: Sequence[Any], end: Sequence[Any], value: str) -> str:
    """A tensor with constants around its last axes, as wide as numbers, or expressions, say."""
    pairs = [size for pair in zip(begin[::-1], end[::-1], strict=True) for size in pair]
    return call("F.pad", data, sequence(pairs), value=(value, "0"))


@emits("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def _(n: Any) -> str:
    rank = n.rank(0)
    axes = sequence(range(2, rank)) if rank else f"tuple(range(2, {n.variable(0)}.ndim))"
    if n.op_type == "GlobalLpPool":
        return f"torch.linalg.vector_norm({n[0]}, {n.get('p', 2)}, dim={axes}, keepdim=True)"
    method = "mean" if n.op_type == "GlobalAveragePool" else "amax"
    return f"{n.atom(0)}.{method}(dim={axes}, keepdim=True)"


# ------------------------------------------------------------------------ images


@emits("Resize")
def _(n: Any) -> str:
    mode, where = n.get("mode"), n.get("coordinate_transformation_mode", "half_pixel")
    if mode == "nearest" and where == "asymmetric" and n.has(2):
        factors = n.constant(2)[2:].tolist()
        whole = [int(each) if each == int(each) else each for each in factors]
        return call("F.interpolate", n[0], scale_factor=(shared(whole), None))
    if mode != "linear" or where not in ("align_corners", "pytorch_half_pixel") or not n.has(3):
        raise NotExportable(f"resizing by {mode} and {where}")
    size = sequence(n.sizes(3)[2:])
    aligned = where == "align_corners"
    return f'F.interpolate({n[0]}, size={size}, mode="bilinear", align_corners={aligned})'


@emits("GridSample")
def _(n: Any) -> str:
    aligned = bool(n.get("align_corners", 0))
    return f'F.grid_sample({n[0]}, {n[1]}, padding_mode="zeros", align_corners={aligned})'


@emits("DepthToSpace", "SpaceToDepth")
def _(n: Any) -> str:
    name = "depth_to_space" if n.op_type == "DepthToSpace" else "space_to_depth"
    return f"{n.helper(name)}({n[0]}, {n.get('blocksize')})"
