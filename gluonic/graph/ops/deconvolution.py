"""Transposed convolution."""

from typing import Any, NamedTuple

from gluonic.graph.attributes import Extents, Positive, Shape
from gluonic.graph.axes import divided
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, LayerWeights, operator
from gluonic.graph.ops.bilinear import declare_bilinear
from gluonic.graph.ops.convolution_kernels import convolve, convolve_data, convolve_weight
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.ops.windows import (
    Layout,
    Tuning,
    Windows,
    back_shape,
    channels_back,
    channels_first,
    first_shape,
    is_channels_last,
    require_spatial_axes,
    windows_of,
)
from gluonic.graph.view import NodeView, PartialShape, complete, title_of


@operator(
    "Deconvolution",
    "_npx_deconvolution",
    absent=lambda n: ("bias",) if n.no_bias else (),
    dtype=floating(),
)
def deconvolution(
    data: Array,
    weight: LayerWeights,
    bias: Array | None = None,
    *,
    kernel: Extents,
    stride: Extents = (),
    dilate: Extents = (),
    pad: Shape = (),
    adj: Shape = (),
    target_shape: Shape = (),
    num_filter: Positive,
    num_group: Positive = 1,
    workspace: int = 512,
    no_bias: bool = True,
    cudnn_tune: Tuning | None = None,
    cudnn_off: bool = False,
    layout: Layout | None = None,
) -> Any:
    """Transpose a convolution: the gradient of its data, as a layer of its own.

    Parameters
    ----------
    data : array of shape (batch, channels, spatial…), with 1, 2 or 3 spatial axes
        Floating-point.
    weight : array of shape (channels, num_filter / num_group, kernel…)
        The filters of the convolution that is transposed.
    bias : array of shape (num_filter,), optional
        Absent unless ``no_bias=False``.
    kernel, stride, dilate, pad : tuple of int
        Those of the convolution.
    adj : tuple of int, default all 0
        The length added at the far end of the output, less than `stride`.
    target_shape : tuple of int, optional
        The spatial shape of the output; replaces `pad` and `adj`.
    num_filter : int
        The number of channels of the output.
    num_group, layout
        As for Convolution.
    no_bias : bool, default True
        Whether to leave the bias out.
    workspace, cudnn_tune, cudnn_off
        Accepted and ignored.

    Returns
    -------
    array of shape (batch, num_filter, spatial…)
        ``stride (size - 1) + dilate (kernel - 1) + 1 - 2 pad + adj`` for each axis, unless
        `target_shape` is given
    """
    last = is_channels_last(layout)
    images = channels_first(wide(data), last)
    transposed = transposed_convolution(
        images.shape,
        "",
        kernel=kernel,
        stride=stride,
        pad=pad,
        dilate=dilate,
        adj=adj,
        target_shape=target_shape,
        layout=layout,
    )
    shape = (len(images), num_filter, *complete(transposed.spatial))
    filters = channels_first(wide(weight), last)
    output = convolve_data(images, filters, shape, transposed.windows, num_group)
    if bias is not None:
        output = output + bias.reshape(-1, *[1] * len(kernel))
    return channels_back(output, last)


class Transposed(NamedTuple):
    """The convolution that is transposed, and the spatial extents of its data: those of the layer's output."""

    windows: Windows
    spatial: PartialShape


def transposed_convolution(
    shape: PartialShape,
    title: str,
    *,
    kernel: Shape,
    stride: Shape,
    pad: Shape,
    dilate: Shape,
    adj: Shape,
    target_shape: Shape,
    layout: str | None,
) -> Transposed:
    """The convolution that attributes describe, for data of a shape with its channels first."""
    windows = windows_of(kernel, stride, pad, dilate, layout, title)
    rank = len(kernel)
    for name, value in (("adj", adj), ("target_shape", target_shape)):
        if len(value) not in (0, rank):
            raise InferenceError(f"{title}: {name}={value} must be {rank} numbers")
    require_spatial_axes(back_shape(shape, windows.channels_last), windows, title)
    pads, spatial = [], []
    for axis, size in enumerate(shape[2:]):
        target = target_shape[axis] if target_shape else 0
        reach = None if size is None else windows.stride[axis] * (size - 1)
        reach = None if reach is None else reach + windows.extents()[axis]
        axis_pad, axis_adj = windows.pad[axis], adj[axis] if adj else 0
        if target and reach is not None:
            if reach < target:
                raise InferenceError(f"{title}: target_shape={target_shape} is more than {reach}")
            axis_pad, axis_adj = (reach - target + 1) // 2, (reach - target) % 2
        if axis_adj >= windows.stride[axis]:
            raise InferenceError(f"{title}: adj={axis_adj} must be less than the stride")
        pads.append(axis_pad)
        spatial.append(target or (None if reach is None else reach - 2 * axis_pad + axis_adj))
    if any(size is not None and size < 1 for size in spatial):
        raise InferenceError(f"{title}: pad={tuple(pads)} leaves nothing of the output")
    return Transposed(windows._replace(pad=tuple(pads)), tuple(spatial))


_GEOMETRY = ("kernel", "stride", "pad", "dilate", "adj", "target_shape", "layout")


@deconvolution.infer_shape
def _(n: NodeView) -> None:
    title, last = title_of(n), is_channels_last(n.layout)
    divided(n.num_filter, n.num_group, f"{title}: num_filter")
    members = n.num_filter // n.num_group
    n.bias = (n.num_filter,)
    n.weight = back_shape((None, members, *n.kernel), last)
    data = first_shape(n.data, last)
    transposed = transposed_convolution(
        data, title, **{name: getattr(n, name) for name in _GEOMETRY}
    )
    divided(data[1], n.num_group, f"{title}: the number of channels")
    n.weight = back_shape((data[1], members, *n.kernel), last)
    n.output = back_shape((data[0], n.num_filter, *transposed.spatial), last)
    channels = first_shape(n.weight, last)[0]
    n.data = back_shape((n.output[0], channels, *data[2:]), last)


def _windows_in(data: Array, attributes: dict[str, Any]) -> Windows:
    return transposed_convolution(
        data.shape, "", **{name: attributes[name] for name in _GEOMETRY}
    ).windows


def _data_gradient(grad: Array, data: Array, weight: Array, **attributes: Any) -> Array:
    last = is_channels_last(attributes["layout"])
    windows = _windows_in(channels_first(data, last), attributes)
    images, filters = channels_first(wide(grad), last), channels_first(wide(weight), last)
    return channels_back(convolve(images, filters, windows, attributes["num_group"]), last)


def _weight_gradient(grad: Array, data: Array, weight: Array, **attributes: Any) -> Array:
    last = is_channels_last(attributes["layout"])
    gradients, images = channels_first(wide(data), last), channels_first(wide(grad), last)
    windows = _windows_in(gradients, attributes)
    shape = channels_first(weight, last).shape
    found = convolve_weight(gradients, images, shape, windows, attributes["num_group"])
    return channels_back(found, last)


def _channel_axis(n: NodeView) -> int:
    return -1 if is_channels_last(n.layout) else 1


declare_bilinear(deconvolution, _data_gradient, _weight_gradient, _channel_axis)
