"""Regions of interest whose parts have channels of their own, and rotated regions.

J. Dai and others: R-FCN (2016). J. Ma and others: Arbitrary-oriented scene text detection (2018).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import Shape
from gluonic.graph.axes import require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.ops.roi import rounded
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, title_of

Parts = tuple[int, int, Array, Array]


def _means(start: Any, end: Any, count: int, length: int) -> Array:
    """Make the matrix (count, length) that averages over the pixels of the parts of a range."""
    step = np.maximum(end - start, type(start)(0.1)) / type(start)(count)
    positions = np.arange(count).astype(type(start))
    first = np.clip(np.floor(positions * step + start), 0, length)
    last = np.clip(np.ceil((positions + 1) * step + start), 0, length)
    pixel = np.arange(length)
    inside = (pixel >= first[:, None]) & (pixel < last[:, None])
    return np.asarray(inside / np.maximum(last - first, 1)[:, None])


def _regions(shape: tuple[int, ...], rois: Array, scale: float, parts: int) -> Iterator[Parts]:
    """Convert each region to matrices for its rows and columns."""
    exact = np.float64 if rois.dtype == np.float64 else np.float32
    for number, region in enumerate(rois):
        left, top, right, bottom = (
            exact(each + extra) * exact(scale)
            for each, extra in zip(rounded(region[1:5]), (0, 0, 1, 1), strict=True)
        )
        image = int(region[0])
        if 0 <= image < shape[0]:
            rows = _means(top, bottom, parts, shape[2])
            yield number, image, rows, _means(left, right, parts, shape[3])


def _groups(parts: int, groups: int) -> Array:
    """The group of channels of each part."""
    return np.clip(np.arange(parts) * groups // parts, 0, groups - 1)


@operator("_contrib_PSROIPooling", dtype=floating(like("data")))
def psroi_pooling(
    data: Array,
    rois: Array,
    *,
    spatial_scale: float,
    output_dim: int,
    pooled_size: int,
    group_size: int = 0,
) -> Any:
    """Average over the parts of regions, each part in channels of its own.

    Parameters
    ----------
    data : (batch, output_dim · groups², height, width)
    rois : (regions, 5): the index of the image, and the corners x1, y1, x2, y2
    spatial_scale : factor from the corners to positions in `data`
    output_dim : the number of channels of the result
    pooled_size : number of rows and columns of parts in each region
    group_size : number of rows and columns of groups of channels; by default `pooled_size`

    Returns
    -------
    array
        (regions, output_dim, pooled_size, pooled_size)
    """
    groups = group_size or pooled_size
    pixels = wide(data).reshape(len(data), output_dim, groups, groups, *data.shape[2:])
    output = np.zeros((len(rois), output_dim, pooled_size, pooled_size), pixels.dtype)
    chosen = _groups(pooled_size, groups)
    for number, image, rows, columns in _regions(data.shape, rois, spatial_scale, pooled_size):
        own = pixels[image][:, chosen][:, :, chosen]
        output[number] = np.einsum("ih,cijhw,jw->cij", rows, own, columns, optimize=True)
    return output


@psroi_pooling.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.data, (4,), f"{title_of(n)}: data")
    groups = n.group_size or n.pooled_size
    if min(groups, n.pooled_size, n.output_dim) < 1:
        raise InferenceError(f"{title_of(n)}: output_dim and pooled_size must be positive")
    n.data = (None, n.output_dim * groups**2, None, None)
    n.rois = (None, 5)
    n.output = (n.rois[0], n.output_dim, n.pooled_size, n.pooled_size)


@adjoint(psroi_pooling)
def _(
    grad: Array,
    data: Array,
    rois: Array,
    *,
    spatial_scale: float,
    output_dim: int,
    pooled_size: int,
    group_size: int,
) -> Any:
    """Distribute the gradients of the averages to the pixels by their weights."""
    groups = group_size or pooled_size
    heads, chosen = wide(grad), _groups(pooled_size, groups)
    result = np.zeros((len(data), groups, groups, output_dim, *data.shape[2:]), heads.dtype)
    for number, image, rows, columns in _regions(data.shape, rois, spatial_scale, pooled_size):
        shares = np.einsum("ih,cij,jw->ijchw", rows, heads[number], columns, optimize=True)
        np.add.at(result[image], (chosen[:, None], chosen[None, :]), shares)
    return result.transpose(0, 3, 1, 2, 4, 5).reshape(data.shape)


def _rotated_positions(region: Array, scale: float, size: Shape, ratio: int) -> tuple[Array, Array]:
    """Find the sample positions of a rotated region: two arrays (parts down, parts across, points)."""
    exact = region.dtype.type
    x, y, width, height = region[1:5] * exact(scale)
    angle = region[5] * exact(np.pi / 180)
    sides = []
    for length, count in ((height, size[0]), (width, size[1])):
        whole = max(length, exact(1))
        step = whole / exact(count)
        points = ratio if ratio > 0 else int(np.ceil(step))
        middle = (np.arange(points, dtype=region.dtype) + exact(0.5)) * step / exact(points)
        sides.append(-whole / 2 + np.arange(count, dtype=region.dtype)[:, None] * step + middle)
    down, across = sides[0][:, None, :, None], sides[1][None, :, None, :]
    turned_x = across * np.cos(angle) + down * np.sin(angle) + x
    turned_y = down * np.cos(angle) - across * np.sin(angle) + y
    return turned_y.reshape(*size, -1), turned_x.reshape(*size, -1)


def _interpolated(pixels: Array, y: Array, x: Array) -> Array:
    """Interpolate between pixels, (channels, height, width); edges extend by one pixel."""
    height, width = pixels.shape[1:]
    inside = (y >= -1) & (y <= height) & (x >= -1) & (x <= width)
    y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    top, left = y.astype(np.intp), x.astype(np.intp)
    bottom, right = np.minimum(top + 1, height - 1), np.minimum(left + 1, width - 1)
    down, across = y - top, x - left
    upper = pixels[:, top, left] * (1 - across) + pixels[:, top, right] * across
    lower = pixels[:, bottom, left] * (1 - across) + pixels[:, bottom, right] * across
    return np.where(inside, upper * (1 - down) + lower * down, 0)


@operator("_contrib_RROIAlign", dtype=floating(like("data")))
def rroi_align(
    data: Array,
    rois: Array,
    *,
    pooled_size: Shape,
    spatial_scale: float,
    sampling_ratio: int = -1,
) -> Any:
    """Average over the parts of rotated regions, interpolating between pixels.

    Parameters
    ----------
    data : (batch, channels, height, width)
    rois : (regions, 6): the index of the image, the centre's x and y, width, height, and the rotation
        in degrees
    pooled_size : number of rows and columns of parts in each region
    spatial_scale : factor from the regions to positions in `data`
    sampling_ratio : number of points sampled along each side of a part; by default its length

    Returns
    -------
    array
        (regions, channels, *pooled_size); it has no gradient
    """
    pixels = wide(data)
    output = np.zeros((len(rois), data.shape[1], *pooled_size), pixels.dtype)
    for number, region in enumerate(wide(rois)):
        image = int(region[0])
        if 0 <= image < len(data) and data.size:
            positions = _rotated_positions(region, spatial_scale, pooled_size, sampling_ratio)
            output[number] = _interpolated(pixels[image], *positions).mean(-1)
    return output


@rroi_align.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.data, (4,), f"{title_of(n)}: data")
    n.rois = (None, 6)
    if len(n.pooled_size) != 2 or min(n.pooled_size) < 1:
        raise InferenceError(
            f"{title_of(n)}: pooled_size {n.pooled_size} must be two positive numbers"
        )
    n.output = (n.rois[0], n.data[1], *n.pooled_size)
