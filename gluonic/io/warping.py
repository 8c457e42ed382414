"""Affine maps of images, with the numbers of the OpenCV that MXNet was built with, 3.4.2.

It interpolates at fixed-point positions with five fractional bits; later versions compute in floating point,
and differ by up to two levels. Their ``remap`` still takes such fixed-point positions.
"""

from typing import Any

import numpy as np

from gluonic.graph.interpolation import AREA, LINEAR, NEAREST
from gluonic.graph.opencv import required_opencv

_BITS, _BETWEEN = 10, 5  # fractional bits of positions in the computation, and in the interpolation


def warp(image: Any, matrix: Any, height: int, width: int, method: int, fill: int) -> Any:
    """Map an image.

    Parameters
    ----------
    image : the axes height, width, channels
    matrix : 2x3: the map of a point ``(x, y, 1)``
    height, width : those of the result
    method : the interpolation between pixels
    fill : the value outside of the image
    """
    exact = matrix.astype(np.float64)
    inverse = np.linalg.inv(exact[:, :2])
    (a, b), (c, d) = inverse
    left, top = -inverse @ exact[:, 2]
    y, x = np.arange(height)[:, None], np.arange(width)
    half = 1 << (_BITS - 1 if method == NEAREST else _BITS - _BETWEEN - 1)
    positions = np.stack(
        [_fixed(a * x) + _fixed(b * y + left), _fixed(c * x) + _fixed(d * y + top)], -1
    )
    positions = (positions + half) >> (_BITS - _BETWEEN)
    limits = np.iinfo(np.int16)
    whole = np.clip(positions >> _BETWEEN, limits.min, limits.max).astype(np.int16)
    parts = positions & ((1 << _BETWEEN) - 1)
    cv2 = required_opencv("warping images")
    made = cv2.remap(
        image,
        whole,
        (parts[..., 0] + (parts[..., 1] << _BETWEEN)).astype(np.uint16),
        LINEAR if method == AREA else method,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(fill,) * 3,
    )
    return made.reshape(height, width, image.shape[2])


def _fixed(positions: Any) -> Any:
    return np.rint(positions * (1 << _BITS)).astype(np.int64)
