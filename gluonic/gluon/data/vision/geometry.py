"""Cropping and turning images."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.errors import AttributeValueError
from gluonic.ndarray import NDArray
from gluonic.ndarray.state import RANDOM

Size = tuple[int, int]


def fitted(source: Size, size: Size) -> Size:
    """Shrink a size ``(width, height)`` in proportion until it fits into another."""
    width, height = float(size[0]), float(size[1])
    if source[1] < height:
        width, height = width * source[1] / height, float(source[1])
    if source[0] < width:
        width, height = float(source[0]), height * source[0] / width
    return int(width), int(height)


def crop(
    image: NDArray, x: int, y: int, width: int, height: int, size: Size, interp: int
) -> NDArray:
    """Cut a rectangle out of an image ``(height, width, channels)`` and resize it to `size`."""
    part: NDArray = nd.image.crop(image, x=x, y=y, width=width, height=height)
    if (width, height) == size:
        return part
    resized: NDArray = nd.image.resize(part, size=size, interp=interp)
    return resized


def center_crop(image: NDArray, size: Size, interp: int) -> NDArray:
    """Cut the middle out of an image; enlarge it if it is too small."""
    height, width = image.shape[:2]
    w, h = fitted((width, height), size)
    return crop(image, (width - w) // 2, (height - h) // 2, w, h, size, interp)


def random_size_crop(
    image: NDArray, size: Size, area: Any, ratio: Sequence[float], interp: int
) -> NDArray:
    """Cut out a rectangle of random area and proportions, and resize it.

    Parameters
    ----------
    size : ``(width, height)`` of the result
    area : the least part of the image to cut out, or the least and the largest
    ratio : the least and the largest width over height
    """
    height, width = image.shape[:2]
    least, most = (area, 1.0) if isinstance(area, (int, float)) else area
    draw = RANDOM.generator
    for _ in range(10):
        wanted = draw.uniform(least, most) * width * height
        proportion = math.exp(draw.uniform(math.log(ratio[0]), math.log(ratio[1])))
        w, h = round(math.sqrt(wanted * proportion)), round(math.sqrt(wanted / proportion))
        if 0 < w <= width and 0 < h <= height:
            x, y = draw.integers(0, width - w + 1), draw.integers(0, height - h + 1)
            return crop(image, int(x), int(y), w, h, size, interp)
    return center_crop(image, size, interp)


def rotate(images: NDArray, degrees: Any, zoom_in: bool = False, zoom_out: bool = False) -> NDArray:
    """Turn images counter-clockwise about their centre; what comes from outside is zero.

    Parameters
    ----------
    images : float32, one image ``(channels, height, width)`` or several
    degrees : the angle, or one for each image
    zoom_in : enlarge until nothing from outside is seen
    zoom_out : shrink until all of the image is seen
    """
    if zoom_in and zoom_out:
        raise AttributeValueError("an image cannot be zoomed in and out at once")
    if images.dtype is not np.float32:
        raise TypeError("only float32 images can be turned: put ToTensor before")
    if images.ndim not in (3, 4):
        raise AttributeValueError(f"images must have 3 or 4 axes, not {images.ndim}")
    pixels = images.asnumpy() if images.ndim == 4 else images.asnumpy()[None]
    angles = np.radians(np.asarray(getattr(degrees, "asnumpy", lambda: degrees)(), np.float64))
    angles = np.broadcast_to(angles, len(pixels))
    turned = np.stack(
        [_turned(*pair, zoom_in, zoom_out) for pair in zip(pixels, angles, strict=True)]
    )
    return NDArray(turned if images.ndim == 4 else turned[0], images.context)


def _turned(pixels: Any, angle: float, zoom_in: bool, zoom_out: bool) -> Any:
    _, height, width = pixels.shape
    y, x = np.mgrid[:height, :width] - np.array([height - 1, width - 1]).reshape(2, 1, 1) / 2
    cos, sin = math.cos(angle), math.sin(angle)
    scale = 1.0
    if zoom_in or zoom_out:
        wide = abs(width * cos) + abs(height * sin)
        high = abs(width * sin) + abs(height * cos)
        scale = max(wide / width, high / height) if zoom_out else min(width / wide, height / high)
    from_x = (x * cos - y * sin) * scale + (width - 1) / 2
    from_y = (x * sin + y * cos) * scale + (height - 1) / 2
    return _sampled(pixels, from_y, from_x)


def _sampled(pixels: Any, y: Any, x: Any) -> Any:
    """Interpolate linearly between pixels; outside of the image they are zero."""
    _, height, width = pixels.shape
    top, left = np.floor(y).astype(int), np.floor(x).astype(int)
    result = np.zeros_like(pixels)
    for row, column in ((top, left), (top, left + 1), (top + 1, left), (top + 1, left + 1)):
        share = (1 - np.abs(y - row)) * (1 - np.abs(x - column))
        inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
        found = pixels[:, row.clip(0, height - 1), column.clip(0, width - 1)]
        result += (found * (share * inside)).astype(pixels.dtype)
    return result
