"""Convolution whose windows read at places that are learnt."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.attributes import Shape
from gluonic.graph.axes import divided
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.convolution import windows_along
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.ops.windows import Layout, Windows, require_places, windows_of
from gluonic.graph.view import NodeView


class Samples(NamedTuple):
    """Places between pixels: (batch, deformable groups, kernel places × windows).

    Attributes
    ----------
    corners : the numbers of the four pixels around each place
    weights : what each of them counts
    down, across : how the weights change when the place moves
    """

    corners: list[Array]
    weights: list[Array]
    down: list[Array]
    across: list[Array]


def _samples(offset: Array, windows: Windows, groups: int, size: tuple[int, int]) -> Samples:
    """Where the windows read, by the offset (batch, groups × kernel × 2, windows down, across)."""
    counts = offset.shape[2:]
    moved = offset.reshape(len(offset), groups, prod(windows.kernel), 2, *counts)
    lows, shares, moves = [], [], []
    inside: Any = True
    for axis in (0, 1):
        taps = np.arange(windows.kernel[axis]) * windows.dilate[axis] - windows.pad[axis]
        starts = np.arange(counts[axis]) * windows.stride[axis]
        tap_shape = [1, 1, 1, 1]
        tap_shape[axis] = -1
        start_shape = [1, 1, 1, 1]
        start_shape[2 + axis] = -1
        grid = taps.reshape(tap_shape) + starts.reshape(start_shape)
        full = np.broadcast_to(grid, (*windows.kernel, *counts)).reshape(-1, *counts)
        at = full + moved[:, :, :, axis]
        inside = inside & (at >= 0) & (at < size[axis])
        low = np.clip(np.floor(at).astype(np.int64), 0, size[axis] - 1)
        has_next = low < size[axis] - 1
        lows.append((low, np.where(has_next, low + 1, low)))
        share = np.where(has_next, at - low, 0)
        shares.append((1 - share, share))
        moves.append((-1.0 * has_next, 1.0 * has_next))
    flat = (len(offset), groups, -1)
    found = Samples([], [], [], [])
    for i in (0, 1):
        for j in (0, 1):
            found.corners.append((lows[0][i] * size[1] + lows[1][j]).reshape(flat))
            found.weights.append((inside * shares[0][i] * shares[1][j]).reshape(flat))
            found.down.append((inside * moves[0][i] * shares[1][j]).reshape(flat))
            found.across.append((inside * shares[0][i] * moves[1][j]).reshape(flat))
    return found


def _corner_values(data: Array, samples: Samples, groups: int) -> list[Array]:
    """The pixels around each place: four arrays (batch, groups, channels of a group, places)."""
    batch, channels, height, width = data.shape
    pixels = data.reshape(batch, groups, channels // groups, height * width)
    return [np.take_along_axis(pixels, corner[:, :, None], axis=3) for corner in samples.corners]


def _columns(corners: list[Array], weights: list[Array]) -> Array:
    total = corners[0] * weights[0][:, :, None]
    for corner, weight in zip(corners[1:], weights[1:], strict=True):
        total += corner * weight[:, :, None]
    return total


@operator(
    "_contrib_DeformableConvolution",
    absent=lambda n: ("bias",) if n.no_bias else (),
    dtype=floating(),
)
def deformable_convolution(
    data: Array,
    offset: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int,
    num_group: int = 1,
    num_deformable_group: int = 1,
    workspace: int = 1024,
    no_bias: bool = False,
    layout: Layout | None = None,
) -> Any:
    """Convolution of images that reads at places moved by an offset (arXiv:1703.06211).

    Between pixels the image is interpolated linearly; outside it is zero.

    Parameters
    ----------
    data : array of shape (batch, channels, height, width)
        Floating-point.
    offset : array of shape (batch, 2 × kernel places × num_deformable_group, windows…)
        For every place of every window how far it is moved down and to the right.
    weight : array of shape (num_filter, channels / num_group, kernel…)
        The filters.
    bias : array of shape (num_filter,), optional
        Absent with ``no_bias=True``.
    num_deformable_group : int, default 1
        Into how many groups of one offset the channels are divided.
    kernel, stride, dilate, pad, num_filter, num_group, no_bias
        As for Convolution.
    workspace, layout
        Accepted and ignored: the channels lie along axis 1.
    """
    windows = windows_of(kernel, stride, pad, dilate, layout)
    samples = _samples(wide(offset), windows, num_deformable_group, data.shape[2:])
    corners = _corner_values(wide(data), samples, num_deformable_group)
    columns = _columns(corners, samples.weights)
    batch, channels = data.shape[:2]
    places = prod(offset.shape[2:])
    rows = channels // num_group * prod(kernel)
    matrix = wide(weight).reshape(num_group, num_filter // num_group, rows)
    output = matrix @ columns.reshape(batch, num_group, rows, places)
    output = output.reshape(batch, num_filter, *offset.shape[2:])
    return output if bias is None else output + bias.reshape(-1, 1, 1)


def _windows(n: NodeView) -> Windows:
    return windows_of(n.kernel, n.stride, n.pad, n.dilate, n.layout, n._title)


@deformable_convolution.infer_shape
def _(n: NodeView) -> None:
    windows, title = _windows(n), n._title
    if len(windows.kernel) != 2 or windows.channels_last:
        raise InferenceError(f"{title}: takes images (batch, channels, height, width) only")
    divided(n.num_filter, n.num_group, f"{title}: num_filter")
    n.bias = (n.num_filter,)
    n.weight = (n.num_filter, None, *windows.kernel)
    require_places(n.data, windows, title)
    members = divided(n.data[1], n.num_group, f"{title}: the number of channels")
    divided(n.data[1], n.num_deformable_group, f"{title}: the number of channels")
    n.weight = (n.num_filter, members, *windows.kernel)
    counts = windows_along(n.data, windows, title)
    n.offset = (n.data[0], 2 * prod(windows.kernel) * n.num_deformable_group, *counts)
    n.output = (n.offset[0], n.num_filter, *counts)
    n.data = (n.output[0], None, None, None)


_ATTRIBUTES = (
    "kernel", "stride", "dilate", "pad", "num_filter", "num_group", "num_deformable_group",
)  # fmt: skip


@deformable_convolution.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    g = heads[0]
    attributes = {name: getattr(n, name) for name in _ATTRIBUTES}
    arrays = F._backward_DeformableConvolution(g, n.data, n.offset, n.weight, **attributes)
    found = dict(zip(("data", "offset", "weight"), arrays, strict=True))
    return found if n.no_bias else {**found, "bias": F.sum(g, axis=1, exclude=True)}


@operator("_backward_DeformableConvolution", outputs=("output1", "output2", "output3"))
def backward_deformable_convolution(
    grad: Array,
    data: Array,
    offset: Array,
    weight: Array,
    *,
    kernel: Shape,
    stride: Shape = (),
    dilate: Shape = (),
    pad: Shape = (),
    num_filter: int,
    num_group: int = 1,
    num_deformable_group: int = 1,
) -> Any:
    """The gradients of data, offset and weight of DeformableConvolution."""
    windows = windows_of(kernel, stride, pad, dilate)
    groups = num_deformable_group
    samples = _samples(wide(offset), windows, groups, data.shape[2:])
    corners = _corner_values(wide(data), samples, groups)
    batch, channels = data.shape[:2]
    places, taps = prod(offset.shape[2:]), prod(kernel)
    rows = channels // num_group * taps
    matrix = wide(weight).reshape(num_group, num_filter // num_group, rows)
    slopes = wide(grad).reshape(batch, num_group, num_filter // num_group, places)
    columns = _columns(corners, samples.weights).reshape(batch, num_group, rows, places)
    weight_slope = (slopes @ columns.swapaxes(2, 3)).sum(axis=0).reshape(weight.shape)
    back = (matrix.swapaxes(1, 2) @ slopes).reshape(batch, groups, channels // groups, -1)
    moved = [
        (back * _columns(corners, change)).sum(axis=2) for change in (samples.down, samples.across)
    ]
    by_tap = [one.reshape(batch, groups, taps, *offset.shape[2:]) for one in moved]
    offset_slope = np.stack(by_tap, axis=3).reshape(offset.shape)
    return _scattered(back, samples, data.shape), offset_slope, weight_slope


def _scattered(back: Array, samples: Samples, shape: tuple[int, ...]) -> Array:
    """Add the gradients of what was read to the pixels around it."""
    pixels = prod(shape[2:])
    images = np.arange(shape[0] * shape[1]).reshape(*back.shape[:3], 1) * pixels
    total = np.zeros(prod(shape))
    for corner, weight in zip(samples.corners, samples.weights, strict=True):
        at = (images + corner[:, :, None]).ravel()
        total += np.bincount(at, (back * weight[:, :, None]).ravel(), minlength=total.size)
    return total.reshape(shape)


def _like_inputs(n: NodeView) -> None:
    n.output1, n.output2, n.output3 = n.data, n.offset, n.weight


backward_deformable_convolution.infer_shape(_like_inputs)
backward_deformable_convolution.infer_dtype(_like_inputs)
