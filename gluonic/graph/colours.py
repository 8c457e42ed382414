"""Colour transformations, shared by operators on images and the augmenters of `mx.image`.

Pixels are float32, (height, width, channels), red first, from 0 to 255. Numbers are rounded to float32 where
MXNet rounds them, so that the resulting bytes are the same.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gluonic.graph.singles import single

Pixels: TypeAlias = npt.NDArray[np.float32]

GRAY = np.array([0.299, 0.587, 0.114], np.float32)
LIGHT_AXES = np.array(
    [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]
)
LIGHT_SPREADS = np.array([55.46, 4.794, 1.148])
"""The principal axes of ImageNet's colours, and their standard deviations (A. Krizhevsky and others, 2012)."""
LIGHT = (LIGHT_AXES * LIGHT_SPREADS).astype(np.float32)
_EPSILON = np.finfo(np.float32).eps
_ONE = np.float32(1)
_BLOCK = 16384  # pixels, which fit into the caches together with intermediate results


def changed(image: npt.NDArray[Any], change: Callable[[Pixels], Pixels]) -> npt.NDArray[Any]:
    """Transform an image, some rows at a time; for bytes, results are clipped and truncated.

    Parameters
    ----------
    image : (height, width, channels)
    change : takes some rows of pixels, which it may overwrite, and returns as many
    """
    result = np.empty_like(image)
    rows = max(1, _BLOCK // max(1, image.shape[1]))
    for first in range(0, len(image), rows):
        pixels = change(image[first : first + rows].astype(np.float32, order="C"))
        if image.dtype == np.uint8:
            np.clip(pixels, 0, 255, out=pixels)
        result[first : first + rows] = pixels
    return result


def mean_luminance(image: npt.NDArray[Any]) -> np.float32:
    """The mean luminance of an image."""
    height, width, channels = image.shape
    columns = image.reshape(height, -1).sum(axis=0, dtype=np.float64).reshape(width, channels)
    means = columns.sum(axis=0) / (height * width)
    return single(means[0] if channels == 1 else means @ GRAY)  # type: ignore[no-any-return]


def luminance(pixels: Pixels) -> npt.NDArray[np.float32]:
    """The luminance of each pixel, (height, width)."""
    gray: npt.NDArray[np.float32] = pixels @ GRAY
    return gray


def mixed(pixels: Pixels, factor: float, gray: npt.NDArray[np.float32] | np.float32) -> Pixels:
    """``factor`` times the pixels, plus ``1 - factor`` times one gray value, or one per pixel."""
    share = single(factor)
    shade = gray * (_ONE - share)
    pixels *= share
    if shade.ndim == 0:
        pixels += shade
        return pixels
    for channel in range(pixels.shape[2]):
        pixels[..., channel] += shade
    return pixels


def by_channel(function: np.ufunc, pixels: Pixels, numbers: npt.NDArray[np.float32]) -> Pixels:
    """Apply a function with a number for each channel to the pixels, in place, one row at a time.

    Parameters
    ----------
    function : ``np.add``, for instance
    pixels : contiguous
    """
    rows = pixels.reshape(len(pixels), -1)
    function(rows, np.tile(numbers, pixels.shape[1]), out=rows)
    return pixels


def turned(pixels: Pixels, turns: float) -> Pixels:
    """The pixels with their hue rotated by a part of the circle; lightness and saturation are kept.

    Colours are in HLS: hue, lightness and saturation (G. H. Joblove and D. Greenberg: Color spaces for
    computer graphics, 1978).
    """
    red, green, blue = pixels.transpose(2, 0, 1).copy() / np.float32(255)
    high = np.maximum(np.maximum(red, green), blue)
    low = np.minimum(np.minimum(red, green), blue)
    spread, total = high - low, high + low
    lightness = total * np.float32(0.5)
    colourful = spread > _EPSILON
    gray = ~colourful  # added where one would divide by zero
    dark = lightness < np.float32(0.5)
    saturation = spread / (_chosen(dark, total, np.float32(2) - high - low) + gray)
    saturation *= colourful
    hue = _hue(red, green, blue, high, spread + gray)
    hue *= colourful
    hue += single(turns) * np.float32(360)
    hue *= _ONE / np.float32(60)
    hue -= np.floor(hue / np.float32(6)) * np.float32(6)
    hue += (hue < 0) * np.float32(6)
    return _from_hue(hue, lightness, saturation)


def _chosen(first: npt.NDArray[np.bool_], a: Any, b: Any) -> Any:
    """Select the first or the second of two numbers; `where` is slower, because it branches."""
    return a * first + b * ~first


def _hue(red: Any, green: Any, blue: Any, high: Any, spread: Any) -> Any:
    """The hue in degrees, from 0 to 360; meaningless for gray."""
    scale = np.float32(60) / spread
    is_red = high == red
    is_green = (high == green) & ~is_red
    angle = (green - blue) * scale * is_red
    angle += ((blue - red) * scale + np.float32(120)) * is_green
    angle += ((red - green) * scale + np.float32(240)) * ~(is_red | is_green)
    angle += (angle < 0) * np.float32(360)
    return angle


def _from_hue(hue: Any, lightness: Any, saturation: Any) -> Pixels:
    """Convert from HLS to RGB; the hue is a number from 0 to 6."""
    dark = lightness <= np.float32(0.5)
    light = lightness + saturation - lightness * saturation
    top = _chosen(dark, lightness * (_ONE + saturation), light)
    bottom = np.float32(2) * lightness - top
    height = top - bottom
    shares = (
        np.maximum(2 - hue, hue - 4),
        np.minimum(hue, 4 - hue),
        np.minimum(hue - 2, 6 - hue),
    )
    pixels: Pixels = np.empty_like(hue, shape=(*hue.shape, 3))
    for channel, share in enumerate(shares):
        np.clip(share, 0, 1, out=share)
        whole = share == 1
        found = height * share
        found += bottom
        found *= ~whole
        found += top * whole
        np.multiply(found, np.float32(255), out=pixels[..., channel])
    return pixels
