"""Enlarging images by an integer factor."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from gluonic.graph.all_gradients import by_input, or_zeros
from gluonic.graph.attributes import Positive
from gluonic.graph.axes import divided, require_rank, scaled
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import REGISTRY, Array, operator
from gluonic.graph.ops.layer_rules import floating
from gluonic.graph.view import NodeView, put, title_of, unify

SampleType = Literal["nearest", "bilinear"]
MultiInputMode = Literal["concat", "sum"]


def _names(n: Any) -> tuple[str, ...]:
    if n.sample_type == "bilinear":
        return ("data", "weight")
    return tuple(f"arg{i}" for i in range(n.num_args))


def _as_deconvolution(scale: int, num_filter: int) -> dict[str, Any]:
    """The attributes of the transposed convolution that interpolates."""
    return {
        "kernel": (2 * scale - scale % 2,) * 2,
        "stride": (scale, scale),
        "pad": (scale // 2,) * 2,
        "num_filter": num_filter,
        "num_group": num_filter,
        "no_bias": True,
    }


@operator(
    "UpSampling",
    count="num_args",
    arguments=_names,
    dtype=floating(),
    base=REGISTRY["Deconvolution"],
    as_base=lambda n, shapes: (
        _as_deconvolution(n.scale, n.num_filter) if n.sample_type == "bilinear" else None
    ),
)
def up_sampling(
    *args: Array,
    scale: Positive,
    num_filter: int = 0,
    sample_type: SampleType,
    multi_input_mode: MultiInputMode = "concat",
    num_args: int = 1,
    workspace: int = 512,
) -> Any:
    """Enlarge images: repeat pixels, or interpolate between them by a transposed convolution.

    Parameters
    ----------
    args : arrays of shape (batch, channels, height, width)
        For ``nearest``, one array or more: the first is enlarged by `scale`, the others to its new
        size. For ``bilinear``, the data and a weight of shape (channels, 1, kernel, kernel) with
        ``kernel = 2 scale - scale % 2``.
    scale : int
        The factor.
    num_filter : int
        The number of channels; only for ``bilinear``.
    sample_type : {"nearest", "bilinear"}
        How to enlarge.
    multi_input_mode : {"concat", "sum"}, default "concat"
        How to combine several arrays: join them along the channels, or add them.
    num_args : int
        The number of arrays.
    workspace
        Accepted and ignored.
    """
    if sample_type == "bilinear":
        deconvolution = REGISTRY["Deconvolution"].apply(_as_deconvolution(scale, num_filter))
        return deconvolution.call(*args)
    sizes = [size * scale for size in args[0].shape[2:]]
    images = [_repeated(image, sizes) for image in args]
    return np.concatenate(images, axis=1) if multi_input_mode == "concat" else sum(images)


def _factors(image: Array, sizes: Sequence[int]) -> list[int]:
    """The number of repetitions of a pixel along the height and the width."""
    return [new // max(1, size) for new, size in zip(sizes, image.shape[2:], strict=True)]


def _repeated(image: Array, sizes: Sequence[int]) -> Array:
    height, width = _factors(image, sizes)
    return image.repeat(height, axis=2).repeat(width, axis=3)


@up_sampling.infer_shape
def _(n: NodeView) -> None:
    if n.sample_type == "bilinear":
        _infer_bilinear(n)
    else:
        _infer_nearest(n)


def _infer_bilinear(n: NodeView) -> None:
    if n.num_filter < 1:
        raise InferenceError(f"{title_of(n)}: bilinear needs num_filter=, the number of channels")
    kernel = 2 * n.scale - n.scale % 2
    n.data = (None, n.num_filter, None, None)
    n.weight = (n.num_filter, 1, kernel, kernel)
    n.output = (*n.data[:2], *(scaled(size, n.scale) for size in n.data[2:]))
    n.data = (n.output[0], None, None, None)


def _infer_nearest(n: NodeView) -> None:
    images = n.args
    for image in images:
        if image is not None:
            require_rank(image, (4,), f"{title_of(n)}: an input")
    if None in images:
        return
    sizes = tuple(scaled(size, n.scale) for size in images[0][2:])
    batch = images[0][0]
    for image in images:
        batch = unify(batch, image[0], f"{title_of(n)}: the batch")
        for size, whole in zip(image[2:], sizes, strict=True):
            if size:
                divided(whole, size, f"{title_of(n)}: the new size")
    channels = [image[1] for image in images]
    if n.multi_input_mode == "sum":
        total = channels[0]
        for count in channels[1:]:
            total = unify(total, count, f"{title_of(n)}: the number of channels")
    else:
        total = None if None in channels else sum(channels)
    n.output = (batch, total, *sizes)


@up_sampling.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    if n.sample_type == "bilinear":
        attributes = _as_deconvolution(n.scale, n.num_filter)
        arrays = (heads[0], n.data, n.weight)
        return {
            "data": F._backward_Deconvolution_data(*arrays, **attributes),
            "weight": F._backward_Deconvolution_weight(*arrays, **attributes),
        }
    found = F._backward_UpSampling(heads[0], *n.args, **_nearest(n))
    return by_input(_names(n), found)


def _nearest(n: NodeView) -> dict[str, Any]:
    return {
        "scale": n.scale,
        "multi_input_mode": n.multi_input_mode,
        "num_args": n.num_args,
    }


@operator(
    "_backward_UpSampling",
    count="num_args",
    outputs=lambda n: tuple(f"output{i}" for i in range(n.num_args)),
)
def backward_up_sampling(
    grad: Array,
    *args: Array,
    scale: int,
    multi_input_mode: MultiInputMode = "concat",
    num_args: int = 1,
) -> Any:
    """The gradients of UpSampling by repetition: the sums over the repetitions."""
    found, begin = [], 0
    for image in args:
        end = begin + image.shape[1]
        part = grad[:, begin:end] if multi_input_mode == "concat" else grad
        begin = end
        batch, channels, height, width = image.shape
        down, across = _factors(image, grad.shape[2:])
        blocks = part.reshape(batch, channels, height, down, width, across)
        found.append(blocks.sum(axis=(3, 5)))
    return tuple(found)


@backward_up_sampling.infer_shape
@backward_up_sampling.infer_dtype
def _(n: NodeView) -> None:
    for i, image in enumerate(n.args):
        put(n, f"output{i}", image)


@backward_up_sampling.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    given = or_zeros(F, heads, n.args)
    return {"grad": F.UpSampling(*given, sample_type="nearest", **_nearest(n))}
