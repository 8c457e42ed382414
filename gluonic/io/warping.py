"""Affine maps of images, with the numbers of the OpenCV that MXNet was built with, 3.4.2.

It looks pixels up at fixed-point positions with five fractional bits; later versions compute
in floating point, and differ by up to two levels. Their ``remap`` still does the former, given such positions.
"""

from typing import Any

import numpy as np

from gluonic.graph.interpolation import AREA, LINEAR, NEAREST
from gluonic.graph.opencv import required_opencv

_BITS, _BETWEEN = 10, 5  # of a place's fraction while it is computed, and when it is used


def warp(image: Any, matrix: Any, height: int, width: int, method: int, fill: int) -> Any:
    """Map an image.

    Parameters
    ----------
    image : the axes height, width, channels
    matrix : 2x3: the map of a point ``(x, y, 1)``
    height, width : of the result
    method : the interpolation between pixels
    fill : the value outside of the image
    """
    exact = matrix.astype(np.float64)
    inverse = np.linalg.inv(exact[:, :2])
    (a, b), (c, d) = inverse
    left, top = -inverse @ exact[:, 2]
    y, x = np.arange(height)[:, None], np.arange(width)
    half = 1 << (_BITS - 1 if method == NEAREST else _BITS - _BETWEEN - 1)
    places = np.stack(
        [_fixed(a * x) + _fixed(b * y + left), _fixed(c * x) + _fixed(d * y + top)], -1
    )
    places = (places + half) >> (_BITS - _BETWEEN)
    limits = np.iinfo(np.int16)
    whole = np.clip(places >> _BETWEEN, limits.min, limits.max).astype(np.int16)
    parts = places & ((1 << _BETWEEN) - 1)
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


def _fixed(places: Any) -> Any:
    return np.rint(places * (1 << _BITS)).astype(np.int64)
