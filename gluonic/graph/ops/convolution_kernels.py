"""Convolution of NumPy arrays by matrix products (im2col); the channels of all arrays are axis 1.

Windows make up the columns of a matrix, which is multiplied by the filters. A block, which is some images
of the batch or some rows of one image, has a matrix of its own, so that this stays in the processor's cache.
Columns are ordered by images, then by places; where rows of places are short, by places, then by images: what
is copied at a time is longer then. With few filters, windows are not copied: products are added up instead.
"""

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from gluonic.graph.operator import Array
from gluonic.graph.ops.windows import Windows, inner, window_view

SMALL_MATRIX, FEWEST_COLUMNS = 1 << 19, 512
"""The numbers in a matrix, which stays in the cache; the columns that it has even if they are more numbers."""
LARGEST_MATRIX = 1 << 22
_SHORT_ROW, _SIDE_BY_SIDE = 16, 16
"""Of rows of so few places, so many images are joined while the matrix is not larger than the largest."""

_FEW_FILTERS = 4
"""With so many filters or fewer, the margins of rows cost less to multiply than to skip."""


class _Blocks(NamedTuple):
    """The division of a batch: each of the slices of images with each of those of rows of windows.

    Attributes
    ----------
    images, rows : the slices; rows lie along the first spatial axis
    side_by_side : whether the numbers that images have at one place lie side by side in the columns
    """

    images: list[slice]
    rows: list[slice]
    side_by_side: bool


def _divided(length: int, most: int) -> list[slice]:
    """Slices of about the same size, `most` or less."""
    count = -(-length // max(1, most))
    size = -(-length // max(1, count))
    return [slice(i, min(i + size, length)) for i in range(0, length, max(1, size))]


def _blocks(images: int, windows: Windows, counts: tuple[int, ...], height: int) -> _Blocks:
    """Divide a batch into blocks, with `height` numbers in each column."""
    places, height = max(1, prod(counts)), max(1, height)
    most = max(FEWEST_COLUMNS, SMALL_MATRIX // height)
    is_short = counts[-1] <= _SHORT_ROW and windows.stride[-1] == 1 and prod(windows.kernel) > 1
    if is_short:
        most = max(most, min(_SIDE_BY_SIDE * places, LARGEST_MATRIX // height))
    parts = _divided(images, most // places)
    side_by_side = is_short and len(parts) > 0 and parts[0].stop > 1
    return _Blocks(parts, _divided(counts[0], most * counts[0] // places), side_by_side)


def _zeros(shape: tuple[int, ...], like: Array, side_by_side: bool) -> Array:
    """Zeros for images, which lie one after the other or side by side."""
    if not side_by_side:
        return np.zeros(shape, like.dtype)
    return np.moveaxis(np.zeros((*shape[1:], shape[0]), like.dtype), -1, 0)


def _padded(images: Array, windows: Windows, rows: slice, side_by_side: bool) -> Array:
    """What some rows of windows read: the images' rows, with zeros around them."""
    start = rows.start * windows.stride[0] - windows.pad[0]
    stop = (rows.stop - 1) * windows.stride[0] - windows.pad[0] + windows.extents()[0]
    found = images[:, :, max(0, start) : max(0, stop)]
    if not any(windows.pad) and not side_by_side:
        return found
    sizes = [size + 2 * pad for size, pad in zip(images.shape[3:], windows.pad[1:], strict=True)]
    result = _zeros((*images.shape[:2], stop - start, *sizes), images, side_by_side)
    result[inner(found.shape[2:], (max(0, -start), *windows.pad[1:]))] = found
    return result


def _from_row(images: Array, rows: slice, windows: Windows) -> Array:
    """What is left of padded images at the first of some rows of windows."""
    return images[:, :, rows.start * windows.stride[0] :]


def _columns(
    images: Array, windows: Windows, counts: tuple[int, ...], groups: int, side_by_side: bool
) -> Array:
    """The windows as columns: (groups, channels of a group × kernel, images × windows)."""
    view = window_view(images, windows, counts)
    view = np.moveaxis(view, 0, -1 if side_by_side else 1 + len(counts))
    rows = images.shape[1] // groups * prod(windows.kernel)
    return view.reshape(groups, rows, len(images) * prod(counts))


def _matrices(
    data: Array, windows: Windows, counts: tuple[int, ...], groups: int, blocks: _Blocks
) -> Iterator[tuple[slice, slice, Array]]:
    """For each block, its slices and its windows as columns."""
    for part, rows in product(blocks.images, blocks.rows):
        images = _padded(data[part], windows, rows, blocks.side_by_side)
        shape = (rows.stop - rows.start, *counts[1:])
        yield part, rows, _columns(images, windows, shape, groups, blocks.side_by_side)


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


def _copies_rows(windows: Windows, matrix: Array, blocks: _Blocks) -> bool:
    """Whether a group has so few filters that copying its windows takes longer than multiplying them."""
    is_plane = len(windows.kernel) == 2 and max(windows.stride) == 1
    return is_plane and matrix.shape[1] <= _FEW_FILTERS and not blocks.side_by_side


def _gather_rows(images: Array, matrix: Array, windows: Windows, counts: tuple[int, ...]) -> Array:
    """Filters times windows at all places of padded rows, margins included: long runs are copied faster.

    Parameters
    ----------
    images : padded
    matrix : the filters, (groups, filters of a group, channels of a group × kernel)
    """
    batch, channels, _, width = images.shape
    groups, filters, numbers = matrix.shape
    length = (counts[0] - 1) * width + counts[1]
    images = np.ascontiguousarray(images)
    _, channel, row, place = images.strides
    taps = (row * windows.dilate[0], place * windows.dilate[1])
    view = as_strided(
        images,
        (channels, *windows.kernel, batch, length),
        (channel, *taps, images.strides[0], place),
        writeable=False,
    )
    sums = (matrix @ view.reshape(groups, numbers, batch * length)).reshape(-1, batch, length)
    return as_strided(
        sums,
        (batch, groups * filters, *counts),
        (sums.strides[1], sums.strides[0], width * place, place),
    )


def _gather(data: Array, weight: Array, windows: Windows, groups: int) -> Array:
    """Filters times windows, which are copied into columns."""
    filters, counts = len(weight), windows.counts(data.shape[2:])
    matrix = weight.reshape(groups, filters // groups, prod(weight.shape[1:]))
    output = np.empty((len(data), filters, *counts), data.dtype)
    if _is_pointwise(windows):
        _pointwise(data, matrix, output)
        return output
    blocks = _blocks(len(data), windows, counts, groups * matrix.shape[2])
    if _copies_rows(windows, matrix, blocks):
        for part, rows in product(blocks.images, blocks.rows):
            images = _padded(data[part], windows, rows, False)
            block = (rows.stop - rows.start, counts[1])
            output[part, :, rows] = _gather_rows(images, matrix, windows, block)
        return output
    for part, rows, columns in _matrices(data, windows, counts, groups, blocks):
        if part.stop - part.start == 1:
            row = prod(counts[1:])
            image = output[part.start].reshape(*matrix.shape[:2], prod(counts))
            np.matmul(matrix, columns, out=image[..., rows.start * row : rows.stop * row])
        else:
            joined = matrix @ columns
            output[part] = _images_outside(joined, (filters,), counts, blocks.side_by_side)
    return output


def _scatter(
    grad: Array, weight: Array, shape: tuple[int, ...], windows: Windows, groups: int
) -> Array:
    """The transpose of `_gather`: numbers times filters, added up where the windows are."""
    filters, counts = len(weight), grad.shape[2:]
    matrix = weight.reshape(groups, filters // groups, prod(weight.shape[1:])).swapaxes(1, 2)
    result = np.empty(shape, grad.dtype)
    if _is_pointwise(windows):
        _pointwise(grad, matrix, result)
        return result
    sizes = [size + 2 * pad for size, pad in zip(shape[2:], windows.pad, strict=True)]
    blocks = _blocks(len(grad), windows, counts, groups * matrix.shape[1])
    for part in blocks.images:
        images = _zeros((*result[part].shape[:2], *sizes), grad, blocks.side_by_side)
        for rows in blocks.rows:
            block = grad[part, :, rows]
            columns = matrix @ _channels_outside(block, groups, blocks.side_by_side)
            kernels, spatial = (shape[1], *windows.kernel), block.shape[2:]
            taps = _images_outside(columns, kernels, spatial, blocks.side_by_side)
            first = _from_row(images, rows, windows)
            for tap, places in windows.taps(spatial):
                first[:, :, *places] += taps[:, :, *tap]  # type: ignore[arg-type]
        result[part] = images[inner(shape[2:], windows.pad)]
    return result


def _turned_windows(windows: Windows) -> Windows | None:
    """The windows with which `_scatter` is `_gather` with turned filters, and the other way round."""
    if max(windows.stride) > 1 or prod(windows.kernel) == 1:
        return None
    margins = [extent - 1 - pad for extent, pad in zip(windows.extents(), windows.pad, strict=True)]
    return None if min(margins) < 0 else windows._replace(pad=tuple(margins))


def _turned(weight: Array, groups: int) -> Array:
    """Mirrored filters from outputs to inputs."""
    filters, members, *kernel = weight.shape
    flipped = np.flip(weight, axis=tuple(range(2, weight.ndim)))
    swapped = flipped.reshape(groups, filters // groups, members, *kernel).swapaxes(1, 2)
    return swapped.reshape(groups * members, filters // groups, *kernel)


def _pays_to_gather(read: int, written: int) -> bool:
    """Whether copying the windows of channels that are read is faster than adding to those written."""
    return read <= 2 * written


def convolve(data: Array, weight: Array, windows: Windows, groups: int) -> Array:
    """The output of a convolution, without bias."""
    if not _pays_to_gather(data.shape[1], len(weight)) and weight.size <= data.size:
        turned = _turned_windows(windows)
        if turned is not None:
            shape = (len(data), len(weight), *windows.counts(data.shape[2:]))
            return _scatter(data, _turned(weight, groups), shape, turned, groups)
    return _gather(data, weight, windows, groups)


def convolve_data(
    grad: Array, weight: Array, shape: tuple[int, ...], windows: Windows, groups: int
) -> Array:
    """The gradient of `data`, which has the given shape, from that of the output."""
    if _pays_to_gather(grad.shape[1], shape[1]) and weight.size <= grad.size:
        turned = _turned_windows(windows)
        if turned is not None:
            return _gather(grad, _turned(weight, groups), turned, groups)
    return _scatter(grad, weight, shape, windows, groups)


def convolve_weight(
    grad: Array, data: Array, shape: tuple[int, ...], windows: Windows, groups: int
) -> Array:
    """The gradient of `weight`, which has the given shape, from that of the output."""
    counts, found = grad.shape[2:], np.zeros(shape, grad.dtype)
    total = found.reshape(groups, shape[0] // groups, prod(shape[1:]))
    blocks = _blocks(len(data), windows, counts, groups * prod(shape[1:]))
    matrices = _matrices(data, windows, counts, groups, blocks)
    for number, (part, rows, columns) in enumerate(matrices):
        gradients = _channels_outside(grad[part, :, rows], groups, blocks.side_by_side)
        if number == 0:
            np.matmul(gradients, columns.swapaxes(1, 2), out=total)
        else:
            total += gradients @ columns.swapaxes(1, 2)
    return found
