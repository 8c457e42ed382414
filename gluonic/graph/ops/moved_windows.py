"""Windows that sample images between pixels by bilinear interpolation, and their gradient."""

from math import prod
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.operator import Array
from gluonic.graph.ops.windows import Windows


class Samples(NamedTuple):
    """Positions between pixels: arrays (batch, deformable groups, taps × windows).

    Attributes
    ----------
    corners : the flat indices of the four pixels around each position
    weights : their interpolation weights
    down, across : the derivatives of the weights by the position, down and across
    """

    corners: list[Array]
    weights: list[Array]
    down: list[Array]
    across: list[Array]


def samples_of(
    offset: Array, windows: Windows, groups: int, size: tuple[int, ...], fades: bool
) -> Samples:
    """The positions that the windows sample.

    Parameters
    ----------
    offset : the displacement of each tap, (batch, groups × taps × 2, windows down, across)
    groups : number of groups of channels with offsets of their own
    size : the height and width of the image
    fades : whether the image fades to zero within one pixel around it, or ends abruptly
    """
    counts = offset.shape[2:]
    moved = offset.reshape(len(offset), groups, prod(windows.kernel), 2, *counts)
    axes = []
    inside: Any = True
    for axis in (0, 1):
        taps = np.arange(windows.kernel[axis]) * windows.dilate[axis] - windows.pad[axis]
        starts = np.arange(counts[axis]) * windows.stride[axis]
        tap_shape, start_shape = [1, 1, 1, 1], [1, 1, 1, 1]
        tap_shape[axis], start_shape[2 + axis] = -1, -1
        grid = taps.reshape(tap_shape) + starts.reshape(start_shape)
        full = np.broadcast_to(grid, (*windows.kernel, *counts)).reshape(-1, *counts)
        at = full + moved[:, :, :, axis]
        inside = inside & (at < size[axis]) & (at > -1 if fades else at >= 0)
        axes.append(_along_axis(at, size[axis], fades))
    flat = (len(offset), groups, -1)
    found = Samples([], [], [], [])
    for row, row_share, row_change in axes[0]:
        for column, column_share, column_change in axes[1]:
            found.corners.append((row * size[1] + column).reshape(flat))
            found.weights.append((inside * row_share * column_share).reshape(flat))
            found.down.append((inside * row_change * column_share).reshape(flat))
            found.across.append((inside * row_share * column_change).reshape(flat))
    return found


def _along_axis(at: Array, size: int, fades: bool) -> list[tuple[Array, Array, Array]]:
    """For both neighbours along an axis: the index, the weight, and its derivative."""
    low = np.floor(at).astype(np.int64)
    if fades:  # pixels outside count as zero
        share = at - low
        neighbours = [(low, 1 - share, -1.0), (low + 1, share, 1.0)]
        return [
            (np.clip(n, 0, size - 1), s * (known := (n >= 0) & (n < size)), change * known)
            for n, s, change in neighbours
        ]
    low = np.clip(low, 0, size - 1)
    has_next = low < size - 1
    share = np.where(has_next, at - low, 0)
    following = np.where(has_next, low + 1, low)
    return [(low, 1 - share, -1.0 * has_next), (following, share, 1.0 * has_next)]


def corner_values(data: Array, samples: Samples, groups: int) -> list[Array]:
    """The pixels around each position: four arrays (batch, groups, channels of a group, positions)."""
    batch, channels, height, width = data.shape
    pixels = data.reshape(batch, groups, channels // groups, height * width)
    return [np.take_along_axis(pixels, corner[:, :, None], axis=3) for corner in samples.corners]


def interpolate(corners: list[Array], weights: list[Array]) -> Array:
    """The weighted sum of the pixels around each position."""
    total = corners[0] * weights[0][:, :, None]
    for corner, weight in zip(corners[1:], weights[1:], strict=True):
        total += corner * weight[:, :, None]
    return total


def scatter(back: Array, samples: Samples, shape: tuple[int, ...]) -> Array:
    """Add the gradients of samples to the pixels around them."""
    pixels = prod(shape[2:])
    images = np.arange(shape[0] * shape[1]).reshape(*back.shape[:3], 1) * pixels
    total = np.zeros(prod(shape))
    for corner, weight in zip(samples.corners, samples.weights, strict=True):
        at = (images + corner[:, :, None]).ravel()
        total += np.bincount(at, (back * weight[:, :, None]).ravel(), minlength=total.size)
    return total.reshape(shape)
