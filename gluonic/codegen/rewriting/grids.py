"""Affine grids of sampling positions, and images sampled there, as sums and products of rows and columns."""

from collections.abc import Sequence
from typing import Any

from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.maths.values import FLOAT32, FLOAT64
from gluonic.graph import Entry


def _rows_and_columns(F: Any, site: RewriteContext) -> tuple[Entry, Entry]:
    """The coordinates of a grid along x and along y, from -1 to 1."""

    def along(length: int, shape: tuple[int, ...]) -> Entry:
        step = 2 / max(length - 1, 1)
        stop = (length - 0.5) * step - 1
        coordinates = F._arange(start=-1.0, stop=stop, step=step, dtype=site.dtype.name)
        found: Entry = F.Reshape(coordinates, shape=shape)
        return found

    height, width = site.n.target_shape
    return along(width, (1, 1, 1, -1)), along(height, (1, 1, -1, 1))


def _mapped(F: Any, site: RewriteContext, matrices: Entry) -> Entry:
    """The positions to which matrices (batch, 6) map those of a grid."""
    x, y = _rows_and_columns(F, site)
    rows = F.Reshape(matrices, shape=(0, 2, 3, 1))
    by_x, by_y, shift = (F.slice_axis(rows, axis=2, begin=k, end=k + 1) for k in range(3))
    turned = F.broadcast_add(F.broadcast_mul(by_x, x), F.broadcast_mul(by_y, y))
    coordinates: Entry = F.broadcast_add(turned, shift)
    return coordinates


def affine_grid(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A grid mapped by matrices."""
    if site.dtype not in (FLOAT32, FLOAT64):
        return None
    return [_mapped(F, site, site.inputs[0])]


def affine_grid_back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The gradient of the matrices."""
    if site.dtype not in (FLOAT32, FLOAT64):
        return None
    gradient = site.inputs[0]
    moments = [F.broadcast_mul(gradient, coordinates) for coordinates in _rows_and_columns(F, site)]
    sums = [F.sum(each, axis=(2, 3)) for each in (*moments, gradient)]
    return [F.Reshape(F.stack(*sums, axis=2), shape=(0, -1))]


def grid_generator(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """A grid mapped by matrices; None for a warped grid."""
    return affine_grid(F, site) if site.n.transform_type == "affine" else None


def spatial_transformer(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Images sampled at the positions of a mapped grid."""
    if site.dtype not in (FLOAT32, FLOAT64):
        return None
    return [F._bilinear_sample(site.n.data, _mapped(F, site, site.n.loc))]
