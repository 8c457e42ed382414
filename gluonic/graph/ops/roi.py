"""Pooling over regions of interest: rectangles of images, (x1, y1, x2, y2) in units of the input."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.adjoint import adjoint
from gluonic.graph.attributes import Shape
from gluonic.graph.axes import divided, require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.indices import add_rows
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, title_of


@operator("_take_flat")
def take_flat(data: Array, index: Array) -> Any:
    """Take elements of the flattened array; a negative index gives zero."""
    if not data.size:
        return np.zeros(index.shape, data.dtype)
    return np.where(index < 0, data.dtype.type(0), data.ravel()[np.maximum(index, 0)])


@take_flat.infer_shape
def _(n: NodeView) -> None:
    n.output = n.index


take_flat.infer_dtype(like("data"))


@adjoint(take_flat)
def _(grad: Array, data: Array, index: Array) -> Any:
    """Sum the gradients at the indices of the elements."""
    used = index >= 0
    return add_rows(data.size, index[used], grad[used]).reshape(data.shape)


def _pooled_shape(n: NodeView, channels_per_output: int) -> None:
    """Infer the output from the images, the regions and the size of the result."""
    require_rank(n.data, (4,), f"{title_of(n)}: data")
    require_rank(n.rois, (2,), f"{title_of(n)}: rois")
    if len(n.pooled_size) != 2 or min(n.pooled_size) < 1:
        raise InferenceError(
            f"{title_of(n)}: pooled_size {n.pooled_size} must be two positive numbers"
        )
    channels = divided(n.data[1], channels_per_output, f"{title_of(n)}: the number of channels")
    n.output = (n.rois[0], channels, *n.pooled_size)


def rounded(values: Array) -> Any:
    """Round halves away from zero, as C does."""
    return np.trunc(values + np.copysign(np.float32(0.5), values)).astype(np.intp)


def _bins(start: int, end: int, count: int, limit: int, exact: Any) -> list[tuple[int, int]]:
    """Split an inclusive range of indices into overlapping bins inside ``0:limit``."""
    step = exact(max(end - start + 1, 1)) / exact(count)
    return [
        (
            min(max(int(np.floor(exact(i) * step)) + start, 0), limit),
            min(max(int(np.ceil(exact(i + 1) * step)) + start, 0), limit),
        )
        for i in range(count)
    ]


@operator(
    "ROIPooling", outputs=("output", "maxidx"), visible=1, dtype=floating(like("data", "output"))
)
def roi_pooling(
    data: Array, rois: Array, *, pooled_size: Shape, spatial_scale: float
) -> tuple[Array, Array]:
    """Take maxima over the parts of regions of interest.

    Parameters
    ----------
    data : (batch, channels, height, width)
    rois : (regions, 5): the index of the image, and the corners x1, y1, x2, y2
    pooled_size : number of rows and columns of parts in each region
    spatial_scale : factor from the corners to positions in `data`

    Returns
    -------
    array, array
        the maxima, (regions, channels, *pooled_size), and (hidden) their indices in the flattened
        images; for an empty part these are 0 and -1
    """
    shape = (len(rois), data.shape[1], *pooled_size)
    output, index = np.zeros(shape, data.dtype), np.full(shape, -1, np.int64)
    corners = rounded(rois[:, 1:5] * rois.dtype.type(spatial_scale))
    exact = np.float64 if data.dtype == np.float64 else np.float32
    for r, (image, (left, top, right, bottom)) in enumerate(
        zip(rois[:, 0].astype(np.intp), corners, strict=True)
    ):
        if not 0 <= image < len(data):
            continue
        rows = _bins(top, bottom, pooled_size[0], data.shape[2], exact)
        columns = _bins(left, right, pooled_size[1], data.shape[3], exact)
        _pool_region(data, image, rows, columns, output[r], index[r])
    return output, index


def _pool_region(
    data: Array,
    image: int,
    rows: list[tuple[int, int]],
    columns: list[tuple[int, int]],
    output: Array,
    index: Array,
) -> None:
    """Fill in the maxima of one region."""
    _, channels, height, width = data.shape
    first = (image * channels + np.arange(channels)) * height * width
    for i, (top, bottom) in enumerate(rows):
        for j, (left, right) in enumerate(columns):
            if bottom <= top or right <= left:
                continue
            part = data[image, :, top:bottom, left:right].reshape(channels, -1)
            highest = part.argmax(1)
            output[:, i, j] = part[np.arange(channels), highest]
            down, across = np.divmod(highest, right - left)
            index[:, i, j] = first + (top + down) * width + left + across


@roi_pooling.infer_shape
def _(n: NodeView) -> None:
    n.rois = (None, 5)
    _pooled_shape(n, 1)
    n.maxidx = n.output


@roi_pooling.infer_dtype
def _(n: NodeView) -> None:
    n.maxidx = np.dtype(np.int64)
    floating(like("data", "output"))(n)


@roi_pooling.all_gradients
def _(F: Any, n: NodeView, heads: Any) -> dict[str, Any]:
    return {"data": F._backward_take_flat(heads[0], n.data, n.maxidx)}


class Region(NamedTuple):
    """A region of one image, as two linear maps on the rows and the columns of its pixels."""

    number: int
    image: int
    top: int
    bottom: int
    left: int
    right: int
    rows: Array
    columns: Array


def _sampling(start: Any, size: Any, bins: int, samples: int, length: int) -> Array:
    """Make the matrix (bins, length) that averages points interpolated between pixels."""
    exact = type(start)
    points = np.arange(bins * samples).reshape(bins, samples)
    positions = start + (points // samples).astype(exact) * size
    positions = positions + ((points % samples).astype(exact) + exact(0.5)) * size / exact(samples)
    inside = (positions >= -1) & (positions <= length)
    positions = np.clip(positions, 0, length - 1)
    below = positions.astype(np.intp)
    share = positions - below
    matrix = np.zeros((bins, length), exact)
    line = np.broadcast_to(np.arange(bins)[:, None], below.shape)
    np.add.at(matrix, (line, below), np.where(inside, 1 - share, 0) / samples)
    np.add.at(
        matrix, (line, np.minimum(below + 1, length - 1)), np.where(inside, share, 0) / samples
    )
    return matrix


def _regions(
    shape: tuple[int, ...], rois: Array, exact: Any, n: dict[str, Any]
) -> Iterator[Region]:
    """Convert each region to its linear maps, restricted to the pixels that contribute."""
    images = rois[:, 0].astype(np.intp) if rois.shape[1] == 5 else np.zeros(len(rois), np.intp)
    shift = exact(0.5 if n["aligned"] else 0)
    corners = rois[:, -4:].astype(exact) * exact(n["spatial_scale"]) - shift
    for number, (image, (left, top, right, bottom)) in enumerate(zip(images, corners, strict=True)):
        if not 0 <= image < shape[0] or not min(shape):
            continue
        maps = []
        for start, end, bins, length in (
            (top, bottom, n["pooled_size"][0], shape[2]),
            (left, right, n["pooled_size"][1], shape[3]),
        ):
            size = (end - start if n["aligned"] else max(end - start, exact(1))) / exact(bins)
            samples = n["sample_ratio"] if n["sample_ratio"] > 0 else int(np.ceil(size))
            maps.append(_sampling(start, size, bins, max(samples, 1), length))
        spans = [np.flatnonzero(each.any(0)) for each in maps]
        (first, last), (begin, end) = (
            (int(span[0]), int(span[-1]) + 1) if len(span) else (0, 0) for span in spans
        )
        rows, columns = maps[0][:, first:last], maps[1][:, begin:end]
        yield Region(number, int(image), first, last, begin, end, rows, columns)


def _exact(data: Array) -> Any:
    return np.float64 if data.dtype == np.float64 else np.float32


@operator("_contrib_ROIAlign", dtype=floating(like("data")))
def roi_align(
    data: Array,
    rois: Array,
    *,
    pooled_size: Shape,
    spatial_scale: float,
    sample_ratio: int = -1,
    position_sensitive: bool = False,
    aligned: bool = False,
) -> Any:
    """Average over the parts of regions of interest, interpolating between pixels.

    Parameters
    ----------
    data : (batch, channels, height, width)
    rois : (regions, 5): the index of the image, and the corners x1, y1, x2, y2; or (regions, 4)
    pooled_size : number of rows and columns of parts in each region
    spatial_scale : factor from the corners to positions in `data`
    sample_ratio : number of points sampled along each side of a part; by default its length
    position_sensitive : whether each part has channels of its own
    aligned : put the centre of the first pixel at 0.5, not 0, and keep regions smaller than a pixel
    """
    settings = {
        "pooled_size": pooled_size,
        "spatial_scale": spatial_scale,
        "sample_ratio": sample_ratio,
        "aligned": aligned,
    }
    pixels = wide(data)
    parts = pooled_size[0] * pooled_size[1] if position_sensitive else 1
    output = np.zeros((len(rois), data.shape[1] // parts, *pooled_size), pixels.dtype)
    for region in _regions(data.shape, rois, _exact(data), settings):
        window = pixels[region.image, :, region.top : region.bottom, region.left : region.right]
        if position_sensitive:
            split = window.reshape(-1, *pooled_size, *window.shape[1:])
            output[region.number] = np.einsum(
                "ih,cijhw,jw->cij", region.rows, split, region.columns, optimize=True
            )
        else:
            output[region.number] = region.rows @ (window @ region.columns.T)
    return output


@roi_align.infer_shape
def _(n: NodeView) -> None:
    if n.rois[-1] not in (4, 5, None):
        raise InferenceError(f"{title_of(n)}: rois must have 4 or 5 columns, not {n.rois[-1]}")
    parts = n.pooled_size[0] * n.pooled_size[-1] if n.position_sensitive and n.pooled_size else 1
    _pooled_shape(n, parts)


@adjoint(roi_align)
def _(grad: Array, data: Array, rois: Array, *, position_sensitive: bool, **settings: Any) -> Any:
    """Distribute the gradients of the averages to the pixels by their weights."""
    heads = wide(grad)
    result = np.zeros(data.shape, heads.dtype)
    for region in _regions(data.shape, rois, _exact(data), settings):
        window = result[region.image, :, region.top : region.bottom, region.left : region.right]
        head = heads[region.number]
        if position_sensitive:
            shares = np.einsum("ih,cij,jw->cijhw", region.rows, head, region.columns, optimize=True)
            window += shares.reshape(window.shape)
        else:
            window += region.rows.T @ (head @ region.columns)
    return result
