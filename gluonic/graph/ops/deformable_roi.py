"""Regions of interest whose parts come from channels of their own, and are moved by learnt offsets.

J. Dai and others: Deformable convolutional networks (arXiv:1703.06211).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.adjoint import signature_after
from gluonic.graph.axes import require_rank
from gluonic.graph.errors import InferenceError
from gluonic.graph.operator import Array, operator
from gluonic.graph.ops.layer_rules import floating, wide
from gluonic.graph.ops.roi import rounded
from gluonic.graph.rules import like
from gluonic.graph.view import NodeView, settings_of, title_of


@operator(
    "_contrib_DeformablePSROIPooling",
    absent=lambda n: ("trans",) if n.no_trans else (),
    outputs=("output", "top_count"),
    visible=1,
    dtype=floating(like("data", "output", "top_count")),
)
def deformable_psroi_pooling(
    data: Array,
    rois: Array,
    trans: Array | None = None,
    *,
    spatial_scale: float,
    output_dim: int,
    group_size: int,
    pooled_size: int,
    part_size: int = 0,
    sample_per_part: int = 1,
    trans_std: float = 0.0,
    no_trans: bool = False,
) -> Any:
    """Average over points in the parts of regions, each part moved, and taken from channels of its own.

    Parameters
    ----------
    data : (batch, output_dim · group_size², height, width)
    rois : (regions, 5): the number of the image, and the corners x1, y1, x2, y2
    trans : (regions, 2 · classes, part_size, part_size), optional
        The displacements of parts along x and y, for each class of channels; absent with ``no_trans=True``.
    spatial_scale : factor from the corners to positions in `data`
    output_dim : the number of channels of the result
    group_size : number of rows and columns of groups of channels
    pooled_size : number of rows and columns of parts in each region
    part_size : number of rows and columns of `trans`; by default `pooled_size`
    sample_per_part : number of points sampled along each side of a part
    trans_std : factor on `trans`, to units of the region's size
    no_trans : whether parts are not displaced

    Returns
    -------
    array
        (regions, output_dim, pooled_size, pooled_size); 0 where no point lies in the image
    """
    points = _points(
        data,
        rois,
        trans,
        _Settings(
            spatial_scale,
            output_dim,
            group_size,
            pooled_size,
            part_size,
            sample_per_part,
            trans_std,
        ),
    )
    pixels = wide(data)
    values = sum(share * pixels[points.at(*corner)] for corner, share in points.corners())
    counts = points.inside.sum(axis=(4, 5))
    sums = np.where(points.inside, values, 0).sum(axis=(4, 5))
    counts = np.broadcast_to(counts, sums.shape)
    return sums / np.maximum(counts, 1), counts.copy()


class _Settings(NamedTuple):
    """The attributes, which the gradient has too."""

    spatial_scale: float
    output_dim: int
    group_size: int
    pooled_size: int
    part_size: int = 0
    sample_per_part: int = 1
    trans_std: float = 0.0
    no_trans: bool = False


class _Points(NamedTuple):
    """The points to average over, by (region, channel, row, column, row in the part, column in the part).

    Attributes
    ----------
    image, channel : which part of the data they lie in
    left, right, across : the columns of pixels at both sides, and how far from the left one
    top, bottom, down : the same for rows
    inside : whether they lie in the image
    width, height : the sizes of regions
    offset : where `trans` has the offsets along x; those along y lie one class further
    """

    image: Array
    channel: Array
    left: Array
    right: Array
    across: Array
    top: Array
    bottom: Array
    down: Array
    inside: Array
    width: Array
    height: Array
    offset: tuple[Array, ...]

    def at(self, row: Array, column: Array) -> tuple[Array, ...]:
        """The index into the data."""
        return self.image, self.channel, row, column

    def corners(self) -> list[tuple[tuple[Array, Array], Array]]:
        """The four pixels around each point, and their shares of it."""
        down, across = self.down, self.across
        return [
            ((self.top, self.left), (1 - down) * (1 - across)),
            ((self.top, self.right), (1 - down) * across),
            ((self.bottom, self.left), down * (1 - across)),
            ((self.bottom, self.right), down * across),
        ]


def _points(data: Array, rois: Array, trans: Array | None, n: _Settings) -> _Points:
    exact: Any = np.float64 if data.dtype == np.float64 else np.float32
    regions = _spread(np.arange(len(rois)), 0)
    channels, parts = _spread(np.arange(n.output_dim), 1), np.arange(n.pooled_size)
    rows, columns = _spread(parts, 2), _spread(parts, 3)
    classes = 1 if trans is None else trans.shape[1] // 2
    kind = channels // max(n.output_dim // classes, 1)
    moved = n.part_size or n.pooled_size
    offset = (regions, 2 * kind, rows * moved // n.pooled_size, columns * moved // n.pooled_size)

    corners = (rounded(rois[:, 1:5]) + np.array([0, 0, 1, 1])).astype(exact) * exact(
        n.spatial_scale
    )
    left, top, right, bottom = (_spread(edge, 0) for edge in (corners - exact(0.5)).T)
    width, height = (np.maximum(size, exact(0.1)) for size in (right - left, bottom - top))
    shift = [exact(0), exact(0)]
    if trans is not None:
        region, x, row, column = offset
        shift = [wide(trans)[region, x + i, row, column] * exact(n.trans_std) for i in (0, 1)]
    sample = np.arange(n.sample_per_part)

    def positions(part: Array, start: Array, size: Array, shift: Any, axis: int) -> Array:
        length = size / exact(n.pooled_size)
        begin = part.astype(exact) * length + start + shift * size
        found: Array = begin + _spread(sample, axis).astype(exact) * (
            length / exact(n.sample_per_part)
        )
        return found

    x = positions(columns, left, width, shift[0], 5)
    y = positions(rows, top, height, shift[1], 4)
    last_row, last_column = (length - 1 for length in data.shape[2:])
    inside = (x >= -0.5) & (x <= last_column + 0.5) & (y >= -0.5) & (y <= last_row + 0.5)
    image = _spread(rois[:, 0].astype(np.intp), 0)
    inside = inside & (image >= 0) & (image < len(data))
    x, y = np.clip(x, 0, last_column), np.clip(y, 0, last_row)
    group = [
        np.clip(part * n.group_size // n.pooled_size, 0, n.group_size - 1)
        for part in (rows, columns)
    ]
    return _Points(
        np.clip(image, 0, len(data) - 1),
        (channels * n.group_size + group[0]) * n.group_size + group[1],
        *_around(x),
        *_around(y),
        inside,
        width,
        height,
        offset,
    )


def _spread(numbers: Array, axis: int) -> Array:
    """Lay numbers along one of the six axes of points."""
    return numbers.reshape(*[1] * axis, -1, *[1] * (5 - axis))


def _around(positions: Array) -> tuple[Array, Array, Array]:
    """The pixels at both sides of positions, and the distances from the first of them."""
    below = np.floor(positions)
    return below.astype(np.intp), np.ceil(positions).astype(np.intp), positions - below


@deformable_psroi_pooling.infer_shape
def _(n: NodeView) -> None:
    require_rank(n.data, (4,), f"{title_of(n)}: data")
    n.rois = (None, 5)
    if min(n.output_dim, n.group_size, n.pooled_size, n.sample_per_part) < 1:
        raise InferenceError(
            f"{title_of(n)}: output_dim, group_size, pooled_size and sample_per_part must be positive"
        )
    n.data = (None, n.output_dim * n.group_size**2, None, None)
    if not n.no_trans:
        size = n.part_size or n.pooled_size
        n.trans = (n.rois[0], None, size, size)
    n.output = n.top_count = (n.rois[0], n.output_dim, n.pooled_size, n.pooled_size)


def _gradients(
    grad: Array,
    top_count: Array,
    data: Array,
    rois: Array,
    trans: Array | None = None,
    **settings: Any,
) -> Any:
    """The gradients of DeformablePSROIPooling with respect to the data and to how parts are moved."""
    points = _points(data, rois, trans, _Settings(**settings))
    shares = (wide(grad) / np.maximum(wide(top_count), 1))[..., None, None] * points.inside
    pixels = wide(data)
    gradients = np.zeros(data.shape, shares.dtype)
    for corner, share in points.corners():
        np.add.at(gradients, points.at(*corner), shares * share)
    if trans is None:
        return gradients
    upper_left, upper_right, lower_left, lower_right = (
        pixels[points.at(*corner)] for corner, _ in points.corners()
    )
    along_x = (lower_right - lower_left) * points.down + (upper_right - upper_left) * (
        1 - points.down
    )
    along_y = (lower_right - upper_right) * points.across + (lower_left - upper_left) * (
        1 - points.across
    )
    moved = np.zeros(trans.shape, shares.dtype)
    region, x, row, column = (index[..., 0, 0] for index in points.offset)
    for i, (gradient, size) in enumerate(((along_x, points.width), (along_y, points.height))):
        total = (shares * gradient).sum(axis=(4, 5)) * (
            size[..., 0, 0] * shares.dtype.type(settings["trans_std"])
        )
        np.add.at(moved, (region, x + i, row, column), total)
    return gradients, moved


_gradients.__signature__ = signature_after(  # type: ignore[attr-defined]
    deformable_psroi_pooling, "grad", "top_count"
)
backward_deformable_psroi_pooling = operator(
    "_backward_DeformablePSROIPooling",
    absent=lambda n: ("trans",) if n.no_trans else (),
    outputs=lambda n: ("gradient",) if n.no_trans else ("gradient", "trans_gradient"),
)(_gradients)


def _as_inputs(n: NodeView) -> None:
    n.gradient = n.data
    if not n.no_trans:
        n.trans_gradient = n.trans


backward_deformable_psroi_pooling.infer_shape(_as_inputs)
backward_deformable_psroi_pooling.infer_dtype(_as_inputs)


@deformable_psroi_pooling.all_gradients
def _(F: Any, n: NodeView, heads: Sequence[Any]) -> dict[str, Any]:
    names = ("data", "rois") if n.no_trans else ("data", "rois", "trans")
    inputs = (getattr(n, name) for name in names)
    found = F._backward_DeformablePSROIPooling(heads[0], n.top_count, *inputs, **settings_of(n))
    return {"data": found} if n.no_trans else {"data": found[0], "trans": found[1]}
