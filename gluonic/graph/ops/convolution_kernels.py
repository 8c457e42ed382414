"""Convolution of NumPy arrays by matrix products (im2col); the channels of all arrays are axis 1.

The windows of some images make up the columns of a matrix, which is multiplied by the filters; a
few images at a time, so that the matrix stays small. Columns are ordered by images, then by places; where
rows of places are short, by places, then by images: what is copied at a time is longer then.
"""

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.operator import Array
from gluonic.graph.ops.windows import Windows, inner, padded, window_view

LARGEST_MATRIX = 1 << 22
_SHORT_ROW, _MOST_SIDE_BY_SIDE = 16, 16
"""Rows of so few places are short; so many images at most are copied from place to place."""


def _parts(images: int, numbers_per_image: int) -> Iterator[slice]:
    """Slices of the batch."""
    size = max(1, LARGEST_MATRIX // max(1, numbers_per_image))
    return (slice(i, min(i + size, images)) for i in range(0, images, size))


def _are_side_by_side(images: int, windows: Windows, counts: tuple[int, ...]) -> bool:
    """Whether the numbers that images have at one place lie side by side in the columns."""
    return (
        1 < images <= _MOST_SIDE_BY_SIDE
        and counts[-1] <= _SHORT_ROW
        and windows.stride[-1] == 1
        and prod(windows.kernel) > 1
    )


def _zeros(shape: tuple[int, ...], dtype: Any, side_by_side: bool) -> Array:
    """Zeros for images, which lie one after the other or side by side."""
    if not side_by_side:
        return np.zeros(shape, dtype)
    return np.moveaxis(np.zeros((*shape[1:], shape[0]), dtype), -1, 0)


def _padded(images: Array, windows: Windows, side_by_side: bool) -> Array:
    """Images with zeros around them."""
    if not side_by_side:
        return padded(images, windows.pad, windows.pad)
    sizes = [size + 2 * pad for size, pad in zip(images.shape[2:], windows.pad, strict=True)]
    result = _zeros((*images.shape[:2], *sizes), images.dtype, side_by_side)
    result[inner(images.shape[2:], windows.pad)] = images
    return result


def _columns(
    images: Array, windows: Windows, counts: tuple[int, ...], groups: int, side_by_side: bool
) -> Array:
    """The windows as columns: (groups, channels of a group × kernel, images × windows)."""
    view = window_view(images, windows, counts)
    view = np.moveaxis(view, 0, -1 if side_by_side else 1 + len(counts))
    rows = images.shape[1] // groups * prod(windows.kernel)
    return view.reshape(groups, rows, len(images) * prod(counts))


def _channels_outside(images: Array, groups: int, side_by_side: bool) -> Array:
    """Images as (groups, channels of a group, images × places)."""
    members, count = images.shape[1] // groups, len(images) * prod(images.shape[2:])
    return np.moveaxis(images, 0, -1 if side_by_side else 1).reshape(groups, members, count)


def _images_outside(
    columns: Array, shape: tuple[int, ...], counts: tuple[int, ...], side_by_side: bool
) -> Array:
    """What has a number for each window of some images, as (images, *shape, *counts)."""
    images = columns.size // (prod(shape) * prod(counts))
    if side_by_side:
        return np.moveaxis(columns.reshape(*shape, *counts, images), -1, 0)
    return np.moveaxis(columns.reshape(*shape, images, *counts), len(shape), 0)


def _is_pointwise(windows: Windows) -> bool:
    return (
        all(k == 1 for k in windows.kernel)
        and all(s == 1 for s in windows.stride)
        and not any(windows.pad)
    )


def _pointwise(images: Array, matrix: Array, result: Array) -> None:
    """Multiply the channels of every pixel by a matrix (groups, result channels, channels)."""
    batch, groups = len(images), len(matrix)
    places = prod(images.shape[2:])
    np.matmul(
        matrix,
        images.reshape(batch, groups, matrix.shape[2], places),
        out=result.reshape(batch, groups, matrix.shape[1], places),
    )


def convolve(data: Array, weight: Array, windows: Windows, groups: int) -> Array:
    """The output of a convolution, without bias."""
    filters, counts = len(weight), windows.counts(data.shape[2:])
    matrix = weight.reshape(groups, filters // groups, prod(weight.shape[1:]))
    output = np.empty((len(data), filters, *counts), data.dtype)
    if _is_pointwise(windows):
        _pointwise(data, matrix, output)
        return output
    side_by_side = _are_side_by_side(len(data), windows, counts)
    images = _padded(data, windows, side_by_side)
    for part in _parts(len(data), groups * matrix.shape[2] * prod(counts)):
        product = matrix @ _columns(images[part], windows, counts, groups, side_by_side)
        output[part] = _images_outside(product, (filters,), counts, side_by_side)
    return output


def convolve_data(
    grad: Array, weight: Array, shape: tuple[int, ...], windows: Windows, groups: int
) -> Array:
    """The gradient of `data`, which has the given shape, from that of the output."""
    filters, counts = len(weight), grad.shape[2:]
    matrix = weight.reshape(groups, filters // groups, prod(weight.shape[1:])).swapaxes(1, 2)
    if _is_pointwise(windows):
        result = np.empty(shape, grad.dtype)
        _pointwise(grad, matrix, result)
        return result
    side_by_side = _are_side_by_side(len(grad), windows, counts)
    sizes = [size + 2 * pad for size, pad in zip(shape[2:], windows.pad, strict=True)]
    images = _zeros((*shape[:2], *sizes), grad.dtype, side_by_side)
    for part in _parts(len(grad), groups * matrix.shape[1] * prod(counts)):
        columns = matrix @ _channels_outside(grad[part], groups, side_by_side)
        taps = _images_outside(columns, (shape[1], *windows.kernel), counts, side_by_side)
        for tap, places in windows.taps(counts):
            images[part][:, :, *places] += taps[:, :, *tap]  # type: ignore[arg-type]
    found = images[inner(shape[2:], windows.pad)]
    return np.ascontiguousarray(found) if side_by_side else found


def convolve_weight(
    grad: Array, data: Array, shape: tuple[int, ...], windows: Windows, groups: int
) -> Array:
    """The gradient of `weight`, which has the given shape, from that of the output."""
    counts, matrix = grad.shape[2:], (groups, shape[0] // groups, prod(shape[1:]))
    side_by_side = _are_side_by_side(len(data), windows, counts)
    images, found = _padded(data, windows, side_by_side), None
    for part in _parts(len(data), groups * matrix[2] * prod(counts)):
        columns = _columns(images[part], windows, counts, groups, side_by_side)
        product = _channels_outside(grad[part], groups, side_by_side) @ columns.swapaxes(1, 2)
        found = product if found is None else found + product
    return np.zeros(shape, grad.dtype) if found is None else found.reshape(shape)
