"""Pooling of NumPy arrays with the channels along axis 1."""

from collections.abc import Callable, Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.operator import Array
from gluonic.graph.ops.windows import Windows, inner, padded, window_view

MOST_SLICES = 64


class Pool(NamedTuple):
    """The geometry of the windows.

    Attributes
    ----------
    kernel, stride, pad : size, stride and padding along each axis
    counts : number of windows along each axis
    """

    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    pad: tuple[int, ...]
    counts: tuple[int, ...]

    def after(self, places: tuple[int, ...]) -> tuple[int, ...]:
        """The padding that the last window needs at the end of each axis."""
        return tuple(
            max(0, (count - 1) * stride + kernel - size - pad)
            for count, stride, kernel, size, pad in zip(
                self.counts, self.stride, self.kernel, places, self.pad, strict=True
            )
        )

    def windows(self) -> Windows:
        """The same as windows of an array that is already padded."""
        ones, zeros = (1,) * len(self.kernel), (0,) * len(self.kernel)
        return Windows(self.kernel, self.stride, ones, zeros, False)

    def slices(self, axis: int) -> Iterator[tuple[slice, ...]]:
        """For each tap of a window along one axis, the index that takes it from all windows."""
        before = (slice(None),) * (axis + 2)
        reach = self.stride[axis] * (self.counts[axis] - 1) + 1
        for i in range(self.kernel[axis]):
            yield (*before, slice(i, i + reach, self.stride[axis]))

    def inside(self, axis: int, size: int) -> Iterator[tuple[slice, slice]]:
        """For each tap along one axis, the windows whose tap is not in the padding, and what they take."""
        stride = self.stride[axis]
        for offset in range(-self.pad[axis], self.kernel[axis] - self.pad[axis]):
            first = max(0, -(offset // stride))
            end = min(self.counts[axis], (size - 1 - offset) // stride + 1)
            if first < end:
                start = first * stride + offset
                yield slice(first, end), slice(start, (end - 1) * stride + offset + 1, stride)


def _slide(images: Array, pool: Pool, combine: np.ufunc, initial: Any) -> Array:
    """Combine an initial number with those in each window, axis by axis; padding adds none."""
    whole = [axis for axis, count in enumerate(pool.counts) if count == 1]
    if whole:
        ends = {axis: slice(0, max(0, pool.kernel[axis] - pool.pad[axis])) for axis in whole}
        covered = images[:, :, *(ends.get(axis, slice(None)) for axis in range(len(pool.counts)))]
        axes = tuple(axis + 2 for axis in whole)
        images = combine.reduce(covered, axis=axes, keepdims=True, initial=initial)
    for axis, count in enumerate(pool.counts):
        if count == 1:
            continue
        before = (slice(None),) * (axis + 2)
        shape = (*images.shape[: axis + 2], count, *images.shape[axis + 3 :])
        result = np.empty(shape, images.dtype)
        result.fill(initial)
        for windows, elements in pool.inside(axis, images.shape[axis + 2]):
            part = result[(*before, windows)]
            combine(part, images[(*before, elements)], out=part)
        images = result
    return images


def max_pool(data: Array, pool: Pool, dtype: np.dtype[Any] | None = None) -> Array:
    """The largest number in each window, without NaN; as in MXNet, at least the lowest finite number.

    The lowest number is that of `dtype`, if the result is converted to another dtype than the data's.
    """
    lowest = data.dtype.type(np.finfo(dtype or data.dtype).min)
    return _slide(data, pool, np.fmax, lowest)


def sum_pool(data: Array, pool: Pool) -> Array:
    """The sum of each window."""
    return _slide(data, pool, np.add, 0)


def spread(grad: Array, places: tuple[int, ...], pool: Pool) -> Array:
    """The transpose of `sum_pool`: each element gets the sum of the windows that read it."""
    after = pool.after(places)
    for axis in range(len(places)):
        size = pool.pad[axis] + places[axis] + after[axis]
        result = np.zeros((*grad.shape[: axis + 2], size, *grad.shape[axis + 3 :]), grad.dtype)
        for index in pool.slices(axis):
            result[index] += grad
        grad = result
    return grad[inner(places, pool.pad)]


def counted(places: tuple[int, ...], pool: Pool, include_pad: bool) -> Array:
    """The divisors of averages: an array (windows…)."""
    result: Any = np.ones((), np.int64)
    for size, kernel, stride, pad, count in zip(
        places, pool.kernel, pool.stride, pool.pad, pool.counts, strict=True
    ):
        starts = np.arange(count) * stride - pad
        if include_pad:
            lengths = np.minimum(starts + kernel, size + pad) - starts
        else:
            lengths = np.minimum(starts + kernel, size) - np.maximum(starts, 0)
        result = np.multiply.outer(result, lengths)
    divisor: Array = np.maximum(result, 1)
    return divisor


def _places_of_maxima(data: Array, output: Array, pool: Pool) -> tuple[Array, tuple[int, ...]]:
    """The flat index in its padded image of each window's first maximum, and the padded extents.

    A window of only NaN and minus infinity has no such maximum; its first element counts.
    """
    images = padded(data, pool.pad, pool.after(data.shape[2:]), np.nan)
    places = images.shape[2:]
    distances = [prod(places[axis + 1 :]) for axis in range(len(places))]
    windows = pool.windows()
    if prod(pool.kernel) > MOST_SLICES:
        view = window_view(images, windows, pool.counts)
        flat = view.reshape(*images.shape[:2], prod(pool.kernel), *pool.counts)
        taps = np.unravel_index((flat == output[:, :, None]).argmax(axis=2), pool.kernel)
        found = sum(t * distance for t, distance in zip(taps, distances, strict=True))
    else:
        found = np.zeros(output.shape, np.int64)
        for tap, index in reversed(list(windows.taps(pool.counts))):
            offset = sum(i * distance for i, distance in zip(tap, distances, strict=True))
            np.copyto(found, offset, where=images[:, :, *index] == output)
    for axis, (count, stride) in enumerate(zip(pool.counts, pool.stride, strict=True)):
        starts = np.arange(count) * (stride * distances[axis])
        found = found + starts.reshape([-1] + [1] * (len(places) - 1 - axis))
    return found, places


def scatter_to_maxima(grad: Array, data: Array, output: Array, pool: Pool) -> Array:
    """The gradient of `max_pool`: each window's goes to its first maximum."""
    if prod(pool.kernel) <= MOST_SLICES:
        return _scatter_by_taps(grad, data, output, pool)
    found, places = _places_of_maxima(data, output, pool)
    images, size = grad.shape[0] * grad.shape[1], prod(places)
    found = found.reshape(images, prod(pool.counts)) + np.arange(images)[:, None] * size
    sums = np.bincount(found.ravel(), weights=grad.ravel(), minlength=images * size)
    return sums.reshape(*grad.shape[:2], *places)[inner(data.shape[2:], pool.pad)]


def _scatter_by_taps(grad: Array, data: Array, output: Array, pool: Pool) -> Array:
    """`scatter_to_maxima`, one tap of all windows after the other.

    Bits are multiplied and subtracted, not numbers: infinity times 0 would be NaN.
    """
    images = padded(data, pool.pad, pool.after(data.shape[2:]), np.nan)
    sums = np.zeros(images.shape, np.result_type(grad.dtype, np.float32))
    left = grad.astype(sums.dtype, order="C")
    part, is_maximum = np.empty_like(left), np.empty(left.shape, bool)
    bits = np.dtype(f"i{left.itemsize}")
    bits_left, bits_of_part = left.view(bits), part.view(bits)
    taps = [(slice(None), slice(None), *index) for _, index in pool.windows().taps(pool.counts)]
    for places in taps:
        np.equal(images[places], output, out=is_maximum)
        np.multiply(bits_left, is_maximum, out=bits_of_part)
        bits_left -= bits_of_part
        sums[places] += part
    sums[taps[0]] += left
    return sums[inner(data.shape[2:], pool.pad)]


def gather_from_maxima(values: Array, data: Array, output: Array, pool: Pool) -> Array:
    """The transpose of `scatter_to_maxima`: for each window, the value at its first maximum."""
    found, places = _places_of_maxima(data, output, pool)
    images = padded(values, pool.pad, pool.after(data.shape[2:]))
    flat = images.reshape(*values.shape[:2], prod(places))
    rows = found.reshape(*values.shape[:2], prod(pool.counts))
    return np.take_along_axis(flat, rows, axis=2).reshape(found.shape)


POWERS: dict[int, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
    1: (lambda x: x, lambda x: x),
    2: (np.square, np.sqrt),
    3: (lambda x: x**3, np.cbrt),
}
