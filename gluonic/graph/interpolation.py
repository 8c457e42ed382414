"""Resampling of lines of pixels, as matrices (new length, old length), with OpenCV's conventions.

Pixels are areas, and the edges of old and new images coincide: the centre of the new pixel i is at
``(i + 0.5) * old / new - 0.5``. Edge pixels are repeated beyond the ends.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gluonic.graph.operator import Array

Taps = tuple[Array, Array]


def _middles(old: int, new: int) -> Array:
    """The centres of the new pixels, in coordinates of the old ones."""
    return (np.arange(new) + 0.5) * (old / new) - 0.5


def _nearest(old: int, new: int) -> Taps:
    index = np.minimum((np.arange(new) * (old / new)).astype(np.intp), old - 1)
    return index[:, None], np.ones((new, 1))


def _linear(old: int, new: int) -> Taps:
    middles = _middles(old, new)
    first = np.floor(middles)
    share = middles - first
    return _taps(first, 0, 2), np.stack([1 - share, share], -1)


def _cubic(old: int, new: int) -> Taps:
    """Cubic convolution over four pixels (the free parameter is -0.75)."""
    middles = _middles(old, new)
    first = np.floor(middles)
    distance = np.abs(middles[:, None] - _taps(first, -1, 4))
    a = -0.75
    near = ((a + 2) * distance - (a + 3)) * distance**2 + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return _taps(first, -1, 4), np.where(distance <= 1, near, far)


def _lanczos(old: int, new: int) -> Taps:
    """A sinc windowed by a wider sinc, over eight pixels."""
    middles = _middles(old, new)
    first = np.floor(middles)
    distance = middles[:, None] - _taps(first, -3, 8)
    weights = np.sinc(distance) * np.sinc(distance / 4)
    return _taps(first, -3, 8), weights / weights.sum(-1, keepdims=True)


def _taps(first: Array, offset: int, count: int) -> Array:
    """The indices of the old pixels that contribute to each new one."""
    return first[:, None].astype(np.intp) + np.arange(offset, offset + count)


def _stretched(old: int, new: int) -> Taps:
    """Interpolate only where a new pixel overlaps two old ones."""
    first = np.floor(np.arange(new) * (old / new))
    share = np.arange(1, new + 1) - (first + 1) * (new / old)
    share = np.where(share <= 0, 0, share - np.floor(share))
    return _taps(first, 0, 2), np.stack([1 - share, share], -1)


def _areas(old: int, new: int) -> Any:
    """Average over the area that each new pixel covers."""
    edges = np.arange(new + 1) * (old / new)
    pixel = np.arange(old)
    overlap = np.minimum(edges[1:, None], pixel + 1) - np.maximum(edges[:-1, None], pixel)
    return np.maximum(overlap, 0) * (new / old)


NEAREST, LINEAR, CUBIC, AREA, LANCZOS = KINDS = (0, 1, 2, 3, 4)
BY_SIZES, AT_RANDOM = 9, 10
"""Codes that programs may use in place of a kind: chosen by the sizes, or at random."""
_TAPS: dict[int, Callable[[int, int], Taps]] = {
    NEAREST: _nearest,
    LINEAR: _linear,
    CUBIC: _cubic,
    LANCZOS: _lanczos,
}
_ONE = 2048  # the fixed-point representation of the weight 1


@lru_cache(64)
def _matrix(taps: Callable[[int, int], Taps], old: int, new: int, scale: int) -> Array:
    index, weights = taps(old, new)
    matrix = np.zeros((new, old))
    given = np.rint(weights.astype(np.float32) * scale) if scale > 1 else weights
    np.add.at(matrix, (np.arange(new)[:, None], np.clip(index, 0, old - 1)), given)
    return matrix


def suiting(old: Sequence[int], new: Sequence[int]) -> int:
    """The kind for a change of size: areas if both sides shrink, cubic if both grow, otherwise linear."""
    if new[0] > old[0] and new[1] > old[1]:
        return CUBIC
    return AREA if new[0] < old[0] and new[1] < old[1] else LINEAR


def resample(images: Array, size: tuple[int, int], kind: int) -> Any:
    """Resample images along height and width.

    Parameters
    ----------
    images : (..., height, width), floating or uint8
    size : the new height and width
    kind : 0 nearest pixel, 1 linear, 2 cubic, 3 areas, 4 Lanczos
    """
    pairs = list(zip(images.shape[-2:], size, strict=True))
    exact = np.float64 if images.dtype == np.float64 else np.float32
    if kind == AREA and all(a >= b for a, b in pairs):
        rows, columns = (_areas(a, b).astype(exact) for a, b in pairs)
    else:
        taps = _stretched if kind == AREA else _TAPS[kind]
        if images.dtype == np.uint8 and kind != NEAREST:
            return _resample_bytes(images, pairs, taps)
        rows, columns = (_matrix(taps, a, b, 1).astype(exact) for a, b in pairs)
    found = rows @ (images.astype(exact) @ columns.T)
    return np.clip(np.rint(found), 0, 255) if images.dtype == np.uint8 else found


def _resample_bytes(
    images: Array, pairs: list[tuple[int, int]], taps: Callable[[int, int], Taps]
) -> Any:
    """Resample in fixed-point arithmetic, with the same bits as OpenCV."""
    (old, new), (_, width) = pairs
    across = images.astype(np.float64) @ _matrix(taps, images.shape[-1], width, _ONE).T
    if taps in (_cubic, _lanczos):
        total = _matrix(taps, old, new, _ONE) @ across
        return np.clip(np.floor((total + 2**21) / 2**22), 0, 255)
    index, weights = taps(old, new)
    whole = np.rint(weights.astype(np.float32) * _ONE).astype(np.int64)[..., None]
    above, below = (
        np.take(across, np.clip(index[:, i], 0, old - 1), -2).astype(np.int64) >> 4 for i in (0, 1)
    )
    upper, lower = (above * whole[:, 0]) >> 16, (below * whole[:, 1]) >> 16
    return np.minimum((upper + lower + 2) >> 2, 255)
