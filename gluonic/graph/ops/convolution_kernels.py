"""Convolution of NumPy arrays by matrix products (im2col); the channels of all arrays are axis 1.

The windows of some images make up the columns of a matrix, which is multiplied by the filters; a
few images at a time, so that the matrix stays small.
"""

from collections.abc import Iterator
from math import prod

import numpy as np

from gluonic.graph.operator import Array
from gluonic.graph.ops.windows import Windows, inner, padded, window_view

LARGEST_MATRIX = 1 << 22


def _parts(images: int, numbers_per_image: int) -> Iterator[slice]:
    """Slices of the batch."""
    size = max(1, LARGEST_MATRIX // max(1, numbers_per_image))
    return (slice(i, min(i + size, images)) for i in range(0, images, size))


def _columns(images: Array, windows: Windows, counts: tuple[int, ...], groups: int) -> Array:
    """The windows as columns: (groups, channels of a group × kernel, images × windows)."""
    view = np.moveaxis(window_view(images, windows, counts), 0, 1 + len(counts))
    rows = images.shape[1] // groups * prod(windows.kernel)
    return view.reshape(groups, rows, len(images) * prod(counts))


def _channels_outside(images: Array, groups: int) -> Array:
    """Images as (groups, channels of a group, images × places)."""
    members = images.shape[1] // groups
    return images.swapaxes(0, 1).reshape(groups, members, len(images) * prod(images.shape[2:]))


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
    images = padded(data, windows.pad, windows.pad)
    for part in _parts(len(data), groups * matrix.shape[2] * prod(counts)):
        product = matrix @ _columns(images[part], windows, counts, groups)
        shape = (filters, part.stop - part.start, *counts)
        output[part] = product.reshape(shape).swapaxes(0, 1)
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
    sizes = [size + 2 * pad for size, pad in zip(shape[2:], windows.pad, strict=True)]
    images = np.zeros((*shape[:2], *sizes), grad.dtype)
    for part in _parts(len(grad), groups * matrix.shape[1] * prod(counts)):
        columns = matrix @ _channels_outside(grad[part], groups)
        taps = columns.reshape(shape[1], *windows.kernel, part.stop - part.start, *counts)
        for tap, places in windows.taps(counts):
            images[part][:, :, *places] += taps[(slice(None), *tap)].swapaxes(0, 1)  # type: ignore[arg-type]
    return images[inner(shape[2:], windows.pad)]


def convolve_weight(
    grad: Array, data: Array, shape: tuple[int, ...], windows: Windows, groups: int
) -> Array:
    """The gradient of `weight`, which has the given shape, from that of the output."""
    counts = grad.shape[2:]
    matrix = np.zeros((groups, shape[0] // groups, prod(shape[1:])), grad.dtype)
    images = padded(data, windows.pad, windows.pad)
    for part in _parts(len(data), groups * matrix.shape[2] * prod(counts)):
        columns = _columns(images[part], windows, counts, groups)
        matrix += _channels_outside(grad[part], groups) @ columns.swapaxes(1, 2)
    return matrix.reshape(shape)
