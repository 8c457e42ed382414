"""Convolution that samples at learnt offsets."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.attributes import Extents, Positive, Shape
from gluonic.graph.axes import divided
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, LayerWeights, operator
from gluonic.graph.ops.convolution import windows_along
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.ops.moved_windows import Samples, corner_values, interpolate, samples_of, scatter
from gluonic.graph.ops.windows import Layout, require_spatial_axes, windows_of
from gluonic.graph.view import NodeView, peek, slots_of, title_of


@operator(
    "_contrib_DeformableConvolution",
    absent=lambda n: ("bias",) if n.no_bias else (),
    dtype=floating(),
)
def deformable_convolution(
    data: Array,
    offset: Array,
    weight: LayerWeights,
    bias: Array | None = None,
    *,
    kernel: Extents,
    stride: Extents = (),
    dilate: Extents = (),
    pad: Shape = (),
    num_filter: Positive,
    num_group: Positive = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    layout: Layout | None = None,
) -> Any:
    """Convolution of images that samples at positions displaced by an offset (arXiv:1703.06211).

    Between pixels the image is interpolated linearly; outside it is zero.

    Parameters
    ----------
    data : array of shape (batch, channels, height, width)
        Floating-point.
    offset : array of shape (batch, 2 × taps × num_deformable_group, windows…)
        For every tap of every window its displacement down and to the right.
    weight : array of shape (num_filter, channels / num_group, kernel…)
        The filters.
    bias : array of shape (num_filter,), optional
        Absent with ``no_bias=True``.
    num_deformable_group : int, default 1
        The number of groups of channels with offsets of their own.
    kernel, stride, dilate, pad, num_filter, num_group, no_bias
        As for Convolution.
    workspace, layout
        Accepted and ignored: the channels lie along axis 1.
    """
    windows = windows_of(kernel, stride, pad, dilate, layout)
    samples = samples_of(wide(offset), windows, num_deformable_group, data.shape[2:], False)
    corners = corner_values(wide(data), samples, num_deformable_group)
    columns = interpolate(corners, samples.weights)
    return _multiply(columns, weight, bias, num_group, offset.shape[2:])


@operator(
    "_contrib_ModulatedDeformableConvolution",
    absent=lambda n: ("bias",) if n.no_bias else (),
    dtype=floating(),
)
def modulated_deformable_convolution(
    data: Array,
    offset: Array,
    mask: Array,
    weight: LayerWeights,
    bias: Array | None = None,
    *,
    kernel: Extents,
    stride: Extents = (),
    dilate: Extents = (),
    pad: Shape = (),
    num_filter: Positive,
    num_group: Positive = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    im2col_step: int = 64,
    layout: Layout | None = None,
) -> Any:
    """Deformable convolution that also weights its samples (arXiv:1811.11168).

    Around the image there is one pixel in which it fades to zero.

    Parameters
    ----------
    mask : array of shape (batch, taps × num_deformable_group, windows…)
        The weight of every tap of every window.
    im2col_step
        Accepted and ignored.
    data, offset, weight, bias, kernel, stride, dilate, pad, num_filter, num_group
        As for `_contrib_DeformableConvolution`.
    num_deformable_group, workspace, no_bias, layout
        As for `_contrib_DeformableConvolution`.
    """
    windows = windows_of(kernel, stride, pad, dilate, layout)
    samples = samples_of(wide(offset), windows, num_deformable_group, data.shape[2:], True)
    corners = corner_values(wide(data), samples, num_deformable_group)
    columns = interpolate(corners, samples.weights) * _mask_of(mask, samples)
    return _multiply(columns, weight, bias, num_group, offset.shape[2:])


def _mask_of(mask: Array, samples: Samples) -> Array:
    batch, groups, windows_count = samples.weights[0].shape
    return wide(mask).reshape(batch, groups, 1, windows_count)


def _multiply(
    columns: Array, weight: Array, bias: Array | None, groups: int, counts: tuple[int, ...]
) -> Array:
    """Multiply the filters by the samples of the windows."""
    filters, batch = len(weight), len(columns)
    rows = prod(weight.shape[1:])
    matrix = wide(weight).reshape(groups, filters // groups, rows)
    output: Array = matrix @ columns.reshape(batch, groups, rows, prod(counts))
    output = output.reshape(batch, filters, *counts)
    return output if bias is None else output + bias.reshape(-1, 1, 1)


def _infer_shape(n: NodeView) -> None:
    title = title_of(n)
    windows = windows_of(n.kernel, n.stride, n.pad, n.dilate, n.layout, title)
    if len(windows.kernel) != 2 or windows.channels_last:
        raise InferenceError(f"{title}: takes images (batch, channels, height, width) only")
    divided(n.num_filter, n.num_group, f"{title}: num_filter")
    n.bias = (n.num_filter,)
    n.weight = (n.num_filter, None, *windows.kernel)
    require_spatial_axes(n.data, windows, title)
    members = divided(n.data[1], n.num_group, f"{title}: the number of channels")
    divided(n.data[1], n.num_deformable_group, f"{title}: the number of channels")
    n.weight = (n.num_filter, members, *windows.kernel)
    counts = windows_along(n.data, windows, title)
    read = prod(windows.kernel) * n.num_deformable_group
    n.offset = (n.data[0], 2 * read, *counts)
    if "mask" in slots_of(n):
        n.mask = (n.data[0], read, *counts)
    n.output = (n.offset[0], n.num_filter, *counts)
    n.data = (n.output[0], None, None, None)


for _op in (deformable_convolution, modulated_deformable_convolution):
    _op.infer_shape(_infer_shape)


_ATTRIBUTES = (
    "kernel", "stride", "dilate", "pad", "num_filter", "num_group", "num_deformable_group",
)  # fmt: skip


def _gradients(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    g = heads[0]
    attributes = {name: getattr(n, name) for name in _ATTRIBUTES}
    mask = peek(n, "mask")
    arrays = (g, n.data, n.offset, n.weight, mask)
    found = F._backward_DeformableConvolution(*arrays, modulated=mask is not None, **attributes)
    names = ("data", "offset", "weight", "mask")[: len(found)]
    gradients = dict(zip(names, found, strict=True))
    return gradients if n.no_bias else {**gradients, "bias": F.sum(g, axis=1, exclude=True)}


for _op in (deformable_convolution, modulated_deformable_convolution):
    _op.all_gradients(_gradients)


@operator(
    "_backward_DeformableConvolution",
    absent=lambda n: () if n.modulated else ("mask",),
    outputs=lambda n: [f"output{i}" for i in range(4 if n.modulated else 3)],
)
def backward_deformable_convolution(
    grad: Array,
    data: Array,
    offset: Array,
    weight: LayerWeights,
    mask: Array | None = None,
    *,
    kernel: Extents,
    stride: Extents = (),
    dilate: Extents = (),
    pad: Shape = (),
    num_filter: Positive,
    num_group: Positive = 1,
    num_deformable_group: int = 1,
    modulated: bool = False,
) -> Any:
    """The gradients of data, offset, weight and mask of a deformable convolution."""
    windows, groups = windows_of(kernel, stride, pad, dilate), num_deformable_group
    samples = samples_of(wide(offset), windows, groups, data.shape[2:], modulated)
    corners = corner_values(wide(data), samples, groups)
    weights = 1 if mask is None else _mask_of(mask, samples)
    batch, channels = data.shape[:2]
    windows_count, rows = prod(offset.shape[2:]), channels // num_group * prod(kernel)
    matrix = wide(weight).reshape(num_group, num_filter // num_group, rows)
    gradients = wide(grad).reshape(batch, num_group, num_filter // num_group, windows_count)
    read = interpolate(corners, samples.weights)
    columns = (read * weights).reshape(batch, num_group, rows, windows_count)
    weight_gradient = (gradients @ columns.swapaxes(2, 3)).sum(axis=0).reshape(weight.shape)
    column_gradient = (matrix.swapaxes(1, 2) @ gradients).reshape(read.shape)
    read_gradient = column_gradient * weights
    moved = [
        (read_gradient * interpolate(corners, change)).sum(axis=2)
        for change in (samples.down, samples.across)
    ]
    by_tap = [one.reshape(batch, groups, prod(kernel), *offset.shape[2:]) for one in moved]
    offset_gradient = np.stack(by_tap, axis=3).reshape(offset.shape)
    found = (scatter(read_gradient, samples, data.shape), offset_gradient, weight_gradient)
    if mask is None:
        return found
    return (*found, (column_gradient * read).sum(axis=2).reshape(mask.shape))


def _like_inputs(n: NodeView) -> None:
    n.output0, n.output1, n.output2 = n.data, n.offset, n.weight
    if n.modulated:
        n.output3 = n.mask


backward_deformable_convolution.infer_shape(_like_inputs)
backward_deformable_convolution.infer_dtype(_like_inputs)
