"""Convolution of signals, images and volumes."""

from typing import Any

from gluonic.graph.attributes import Extents, Positive, Shape
from gluonic.graph.axes import divided, scaled
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
from gluonic.graph.view import NodeView, PartialShape, title_of, written


@operator(
    "Convolution",
    "Convolution_v1",
    "_npx_convolution",
    absent=lambda n: ("bias",) if n.no_bias else (),
    dtype=floating(),
)
def convolution(
    data: Array,
    weight: LayerWeights,
    bias: Array | None = None,
    *,
    kernel: Extents,
    stride: Extents = (),
    dilate: Extents = (),
    pad: Shape = (),
    num_filter: Positive,
    num_group: Positive = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    cudnn_tune: Tuning | None = None,
    cudnn_off: bool = False,
    layout: Layout | None = None,
) -> Any:
    """Slide filters over data: every output is the product of a filter and a window of the data.

    ``output[b, f, y…] = bias[f] + Σ weight[f, c, k…] data[b, c, stride y + dilate k - pad…]``

    Parameters
    ----------
    data : array of shape (batch, channels, spatial…), with 1, 2 or 3 spatial axes
        Floating-point.
    weight : array of shape (num_filter, channels / num_group, kernel…)
        The filters.
    bias : array of shape (num_filter,), optional
        Absent with ``no_bias=True``.
    kernel : tuple of int
        The size of a filter; its length is the number of spatial axes.
    stride, dilate : tuple of int, default all 1
        The distance between windows, and between the taps of a filter.
    pad : tuple of int, default all 0
        The number of zeros added at both ends of each axis.
    num_filter : int
        The number of filters, and so of the output's channels.
    num_group : int, default 1
        The number of groups that the channels are divided into; a filter reads one group.
    no_bias : bool, default False
        Whether to leave the bias out.
    layout : str, optional
        The order of the axes: ``NCHW`` (or NCW, NCDHW) by default, or ``NHWC`` (or NDHWC);
        the axes of `weight` are ordered likewise.
    workspace, cudnn_tune, cudnn_off
        Accepted and ignored.

    Returns
    -------
    array of shape (batch, num_filter, windows…)
        ``windows = (size + 2 pad - dilate (kernel - 1) - 1) // stride + 1``
    """
    windows = windows_of(kernel, stride, pad, dilate, layout)
    last = windows.channels_last
    images, filters = channels_first(wide(data), last), channels_first(wide(weight), last)
    output = convolve(images, filters, windows, num_group)
    if bias is not None:
        output += bias.reshape(-1, *[1] * len(kernel))
    return channels_back(output, last)


@convolution.infer_shape
def _(n: NodeView) -> None:
    title = title_of(n)
    windows = windows_of(n.kernel, n.stride, n.pad, n.dilate, n.layout, title)
    last = windows.channels_last
    divided(n.num_filter, n.num_group, f"{title}: num_filter")
    n.bias = (n.num_filter,)
    n.weight = back_shape((n.num_filter, None, *windows.kernel), last)
    require_spatial_axes(n.data, windows, title)
    channels = first_shape(n.data, last)[1]
    members = divided(channels, n.num_group, f"{title}: the number of channels")
    n.weight = back_shape((n.num_filter, members, *windows.kernel), last)
    counts = windows_along(n.data, windows, title)
    n.output = back_shape((n.data[0], n.num_filter, *counts), last)
    output = first_shape(n.output, last)
    channels = scaled(first_shape(n.weight, last)[1], n.num_group)
    n.data = back_shape((output[0], channels, *_data_size(output[2:], windows)), last)


def windows_along(data: PartialShape, windows: Windows, title: str) -> PartialShape:
    """The number of windows along each axis; None where the data's length is unknown."""
    spatial = first_shape(data, windows.channels_last)[2:]
    for size, pad, extent in zip(spatial, windows.pad, windows.extents(), strict=True):
        if size is not None and size + 2 * pad < extent:
            raise InferenceError(
                f"{title}: a window of kernel={windows.kernel}, dilate={windows.dilate} is larger "
                f"than data {written(data)} with pad={windows.pad}"
            )
    counts = windows.counts(tuple(size or 0 for size in spatial))
    return tuple(
        None if size is None else count for size, count in zip(spatial, counts, strict=True)
    )


def _data_size(counts: PartialShape, windows: Windows) -> PartialShape:
    """The spatial extents of the data, where they follow from the number of windows: for stride 1."""
    return tuple(
        count + extent - 1 - 2 * pad if stride == 1 and count is not None else None
        for count, extent, pad, stride in zip(
            counts, windows.extents(), windows.pad, windows.stride, strict=True
        )
    )


def _data_gradient(grad: Array, data: Array, weight: Array, **attributes: Any) -> Array:
    windows = _windows_in(attributes)
    last = windows.channels_last
    shape = channels_first(data, last).shape
    images, filters = channels_first(wide(grad), last), channels_first(wide(weight), last)
    found = convolve_data(images, filters, shape, windows, attributes["num_group"])
    return channels_back(found, last)


def _weight_gradient(grad: Array, data: Array, weight: Array, **attributes: Any) -> Array:
    windows = _windows_in(attributes)
    last = windows.channels_last
    shape = channels_first(weight, last).shape
    gradients, images = channels_first(wide(grad), last), channels_first(wide(data), last)
    found = convolve_weight(gradients, images, shape, windows, attributes["num_group"])
    return channels_back(found, last)


def _windows_in(attributes: dict[str, Any]) -> Windows:
    names = ("kernel", "stride", "pad", "dilate", "layout")
    return windows_of(*(attributes[name] for name in names))


towards_data, towards_weight = declare_bilinear(
    convolution, _data_gradient, _weight_gradient, lambda n: -1 if is_channels_last(n.layout) else 1
)
