"""Normalization layers, softmax."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.onnx.errors import NotExportable, NotImportable
from gluonic.onnx.table import family
from gluonic.onnx.use import (
    is_read,
    operator_of,
    output_dtype,
    output_shape,
    reshaped,
    settings_of,
    shape_of,
)

norms = family("normalization and softmax")


@norms.write("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm", "_contrib_BatchNormWithReLU")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, "data"))
    axis = settings_of(n).get("axis", 1) % rank
    gamma = o.constant(np.ones(shape_of(n, "gamma"), n.gamma.dtype)) if n.fix_gamma else n.gamma
    data = n.data
    order = [0, axis, *[i for i in range(1, rank) if i != axis]]
    if axis == 0:
        raise NotExportable("axis must not be 0")
    if axis != 1:
        data = o.Transpose(data, perm=order)
    result = o.BatchNormalization(
        data, gamma, n.beta, n.moving_mean, n.moving_var, epsilon=n.eps, momentum=n.momentum
    )
    if operator_of(n).name == "_contrib_BatchNormWithReLU":
        result = o.Relu(result)
    if axis != 1:
        result = o.Transpose(result, perm=[order.index(i) for i in range(rank)])
    return [result, *_statistics(o, n)]


def _statistics(o: Any, n: Any) -> list[Any]:
    """The hidden mean and variance, which in inference are the running ones."""
    wanted = [is_read(n, index) for index in (1, 2)]
    if wanted[1]:
        raise NotExportable("output_mean_var, whose variance is read")
    return [o.Identity(n.moving_mean)] if wanted[0] else []


def _standardized(o: Any, data: Any, axes: Sequence[int], eps: float) -> tuple[Any, Any, Any]:
    """Centred data divided by the standard deviation, the mean and the deviation."""
    mean = o.reduce("ReduceMean", data, axes, keepdims=True)
    centred = o.Sub(data, mean)
    variance = o.reduce("ReduceMean", o.Mul(centred, centred), axes, keepdims=True)
    deviation = o.Sqrt(o.Add(variance, eps))
    return o.Div(centred, deviation), mean, deviation


def _along(o: Any, n: Any, value: Any, axis: int, rank: int) -> Any:
    """A vector along one axis of data."""
    shape = [1] * rank
    shape[axis] = -1
    return value if axis == rank - 1 else o.Reshape(value, shape)


@norms.write("LayerNorm", "_npx_layer_norm")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, "data"))
    axis = n.axis % rank
    wants = is_read(n, 1) or is_read(n, 2)
    if o.opset >= 17 and axis == rank - 1 and not wants:
        return o.LayerNormalization(n.data, n.gamma, n.beta, axis=-1, epsilon=n.eps)
    result, mean, deviation = _standardized(o, n.data, [axis], n.eps)
    scale, shift = (_along(o, n, each, axis, rank) for each in (n.gamma, n.beta))
    result = o.Add(o.Mul(result, scale), shift)
    return [
        result,
        *[reshaped(o, n, each, (), output_shape(n, 1)) for each in (mean, deviation) if wants],
    ]


@norms.write("InstanceNorm")
def _(o: Any, n: Any) -> Any:
    if is_read(n, 1) or is_read(n, 2):
        raise NotExportable("its hidden outputs are read")
    return o.InstanceNormalization(n.data, n.gamma, n.beta, epsilon=n.eps)


@norms.write("GroupNorm")
def _(o: Any, n: Any) -> Any:
    if is_read(n, 1) or is_read(n, 2):
        raise NotExportable("its hidden outputs are read")
    groups = o.Reshape(n.data, [0, n.num_groups, -1])
    result = o.InstanceNormalization(groups, n.gamma, n.beta, epsilon=n.eps)
    return reshaped(o, n, result, (), shape_of(n, "data"))


@norms.write("L2Normalization")
def _(o: Any, n: Any) -> Any:
    rank = len(shape_of(n, "data"))
    axes = {"instance": range(1, rank), "channel": [1], "spatial": range(2, rank)}[n.mode]
    squares = o.reduce("ReduceSum", o.Mul(n.data, n.data), list(axes), keepdims=True)
    norm = o.Sqrt(o.Add(squares, n.eps))
    return [o.Div(n.data, norm), norm]


@norms.write("LRN")
def _(o: Any, n: Any) -> Any:
    return o.LRN(n.data, alpha=n.alpha, beta=n.beta, bias=n.knorm, size=n.nsize)


def _tempered(o: Any, n: Any) -> Any:
    temperature = n.temperature
    return n.data if temperature in (None, 1) else o.Div(n.data, temperature)


@norms.write("softmax")
def _(o: Any, n: Any) -> Any:
    data, axis = _tempered(o, n), n.axis % len(shape_of(n, "data"))
    if n.length is None:
        return o.cast(o.Softmax(data, axis=axis), output_dtype(n))
    inside = positions_below(o, n, axis, o.unsqueeze(n.length, axis))
    low = o.constant(np.array(np.finfo(data.dtype).min, data.dtype))
    zero = o.constant(np.array(0, data.dtype))
    shares = o.Softmax(o.Where(inside, data, low, result=data.dtype), axis=axis)
    return o.cast(o.Where(inside, shares, zero, result=data.dtype), output_dtype(n))


def positions_below(o: Any, n: Any, axis: int, lengths: Any) -> Any:
    """Whether each position along an axis of the first input is below a length."""
    shape = shape_of(n, 0)
    begin, step = np.array(0, np.int64), np.array(1, np.int64)
    if isinstance(shape[axis], int):
        steps = o.constant(np.arange(shape[axis]))
    else:
        steps = o.Range(begin, o.squeeze(o.Shape(n.inputs[0], start=axis, end=axis + 1), 0), step)
    target = [1] * len(shape)
    target[axis] = -1
    return o.Less(o.Reshape(steps, target), o.cast(lengths, np.int64))


@norms.write("log_softmax")
def _(o: Any, n: Any) -> Any:
    return o.cast(o.LogSoftmax(_tempered(o, n), axis=n.axis), output_dtype(n))


@norms.write("softmin")
def _(o: Any, n: Any) -> Any:
    return o.cast(o.Softmax(o.Neg(_tempered(o, n)), axis=n.axis), output_dtype(n))


@norms.write("SoftmaxActivation")
def _(o: Any, n: Any) -> Any:
    return o.Softmax(n.data, axis=1 if n.mode == "channel" else -1)


@norms.write("SoftmaxOutput")
def _(o: Any, n: Any) -> Any:
    if n.multi_output:
        return o.Softmax(n.data, axis=1)
    if n.preserve_shape or len(shape_of(n, "data")) == 2:
        return o.Softmax(n.data, axis=-1)
    return _over_all_classes(o, n)


def _over_all_classes(o: Any, n: Any) -> Any:
    """Softmax over all axes but the first."""
    shape = shape_of(n, "data")
    if len(shape) == 2:
        return o.Softmax(n.data, axis=1)
    flat = o.Softmax(o.Flatten(n.data, axis=1), axis=1)
    return reshaped(o, n, flat, (), shape)


# ------------------------------------------------------------------------ reading


@norms.read("BatchNormalization")
def _(F: Any, n: Any) -> Any:
    if n.attribute("training_mode", 0) or n.output_count > 1:
        raise NotImportable("statistics of the batch, in training")
    settings = {"eps": n.attribute("epsilon", 1e-5), "momentum": n.attribute("momentum", 0.9)}
    if all(n.known_or_none(i) is not None for i in (3, 4)):
        return F.BatchNorm(*n.entries, fix_gamma=False, **settings)[0]
    rank = n.rank()
    gamma, beta, mean, var = (
        F.Reshape(n[i], shape=(1, -1, *[1] * (rank - 2))) for i in range(1, 5)
    )
    scale = F.broadcast_div(gamma, F.sqrt(var + settings["eps"]))
    return F.broadcast_add(F.broadcast_mul(F.broadcast_sub(n[0], mean), scale), beta)


@norms.read("InstanceNormalization")
def _(F: Any, n: Any) -> Any:
    return F.InstanceNorm(*n.entries, eps=n.attribute("epsilon", 1e-5))[0]


@norms.read("LayerNormalization")
def _(F: Any, n: Any) -> Any:
    rank = n.rank()
    axis, eps = n.attribute("axis", -1) % rank, n.attribute("epsilon", 1e-5)
    if axis == rank - 1 and n.output_count == 1 and n.has(2) and n.rank(1) == 1:
        return F.LayerNorm(n[0], n[1], n[2], axis=-1, eps=eps)[0]
    axes = tuple(range(axis, rank))
    data = F.Cast(n[0], dtype="float32") if n.dtype() == np.float16 else n[0]
    mean = F.mean(data, axis=axes, keepdims=True)
    centred = F.broadcast_sub(data, mean)
    inverse = F.rsqrt(F.mean(centred * centred, axis=axes, keepdims=True) + eps)
    result = F.Cast(F.broadcast_mul(centred, inverse), dtype=n.dtype().name)
    result = F.broadcast_mul(result, n[1])
    result = F.broadcast_add(result, n[2]) if n.has(2) else result
    return [result, mean, inverse][: n.output_count]


@norms.read("GroupNormalization")
def _(F: Any, n: Any) -> Any:
    groups, eps = n.attribute("num_groups"), n.attribute("epsilon", 1e-5)
    rank = n.rank()
    parts = F.Reshape(n[0], shape=(0, groups, -1))
    centred = F.broadcast_sub(parts, F.mean(parts, axis=2, keepdims=True))
    spread = F.sqrt(F.mean(centred * centred, axis=2, keepdims=True) + eps)
    result = F.reshape_like(F.broadcast_div(centred, spread), n[0])
    if n.shape(1)[0] != n.shape()[1]:  # until opset 21, scale and bias had one number per group
        repeats = n.shape()[1] // groups
        scale, bias = (F.repeat(n[i], repeats=repeats, axis=0) for i in (1, 2))
    else:
        scale, bias = n[1], n[2]
    scale, bias = (F.Reshape(each, shape=(1, -1, *[1] * (rank - 2))) for each in (scale, bias))
    return F.broadcast_add(F.broadcast_mul(result, scale), bias)


@norms.read("LRN")
def _(F: Any, n: Any) -> Any:
    alpha, beta, bias = (
        n.attribute("alpha", 1e-4),
        n.attribute("beta", 0.75),
        n.attribute("bias", 1.0),
    )
    return F.LRN(n[0], alpha=alpha, beta=beta, knorm=bias, nsize=n.attribute("size"))


@norms.read("LpNormalization")
def _(F: Any, n: Any) -> Any:
    axis, p = n.attribute("axis", -1), n.attribute("p", 2)
    size = F.norm(n[0], ord=p, axis=(axis,), keepdims=True)
    return F.broadcast_div(n[0], size + F._equal_scalar(size, scalar=0.0))


def _read_softmax(F: Any, n: Any, ours: str) -> Any:
    if n.opset >= 13:
        return getattr(F, ours)(n[0], axis=n.attribute("axis", -1))
    axis, shape = n.attribute("axis", 1) % n.rank(), n.shape()
    if axis == len(shape) - 1:
        return getattr(F, ours)(n[0], axis=-1)
    flat = F.Reshape(n[0], shape=(*[0] * axis, -1))  # until opset 13: over all axes from there on
    return F.reshape_like(getattr(F, ours)(flat, axis=-1), n[0])


norms.read("Softmax")(lambda F, n: _read_softmax(F, n, "softmax"))
norms.read("LogSoftmax")(lambda F, n: _read_softmax(F, n, "log_softmax"))
