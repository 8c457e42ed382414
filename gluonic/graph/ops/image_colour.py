"""Random changes of the colours of one image, (height, width, channels), red first, 0 to 255."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.ops.image import flip_left_right, flip_top_bottom, single_image

Adjustment = Callable[[Array, float], Array]

_GRAY = np.array([0.299, 0.587, 0.114], np.float32)
# The principal axes of the colours of ImageNet, times their spreads (A. Krizhevsky and others, 2012).
_LIGHT = np.array(
    [
        [55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009],
        [55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140],
        [55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203],
    ],
    np.float32,
)


def _as_floats(image: Array) -> Array:
    return image.astype(np.float32)


def _back(pixels: Array, image: Array) -> Any:
    """Give pixels the dtype of the image, cutting them off to 0 … 255 if that is uint8."""
    return np.clip(pixels, 0, 255) if image.dtype == np.uint8 else pixels


def _luminance(pixels: Array) -> Array:
    """Find how bright each pixel is."""
    return pixels[..., :1] if pixels.shape[2] == 1 else (pixels @ _GRAY)[..., None]


def _brightness(pixels: Array, factor: float) -> Array:
    return pixels * np.float32(factor)


def _contrast(pixels: Array, factor: float) -> Array:
    mean = _luminance(pixels).mean(dtype=np.float32) if pixels.size else 0
    return pixels * np.float32(factor) + np.float32((1 - factor) * mean)


def _saturation(pixels: Array, factor: float) -> Array:
    if pixels.shape[2] == 1:
        return pixels
    return pixels * np.float32(factor) + np.float32(1 - factor) * _luminance(pixels)


def _hue(pixels: Array, turns: float) -> Array:
    """Turn the colour wheel, keeping lightness and saturation."""
    if pixels.shape[2] == 1:
        return pixels
    parts = pixels / np.float32(255)
    red, green, blue = np.moveaxis(parts, -1, 0)
    high, low = parts.max(-1), parts.min(-1)
    spread = high - low
    colourful = spread > np.finfo(np.float32).eps
    safe = np.where(colourful, spread, 1)
    sector = np.where(
        high == red,
        (green - blue) / safe,
        np.where(high == green, (blue - red) / safe + 2, (red - green) / safe + 4),
    )
    place = np.where(colourful, sector, 0) + 6 * turns
    middle, half = (high + low)[..., None] / 2, np.where(colourful, spread, 0)[..., None] / 2
    distance = np.abs((place[..., None] - np.array([0, 2, 4]) + 3) % 6 - 3)
    turned: Array = (middle + half * np.clip(3 - 2 * distance, -1, 1)) * np.float32(255)
    return turned.round(3)  # whole numbers stay whole, though they are cut off later


class Enhancement(NamedTuple):
    """A row of the table: the operator's name, its documentation, what it does with a number."""

    name: str
    documentation: str
    adjust: Adjustment


ENHANCEMENTS = [
    Enhancement("brightness", "Multiply an image by a random factor.", _brightness),
    Enhancement("contrast", "Stretch an image by a random factor about its mean.", _contrast),
    Enhancement("saturation", "Mix an image with its gray one by a random factor.", _saturation),
    Enhancement("hue", "Turn the colours of an image by a random part of the circle.", _hue),
]


def _register(row: Enhancement) -> None:
    def kernel(data: Array, *, min_factor: float, max_factor: float, run: Run) -> Any:
        factor = run.own_random().uniform(min_factor, max_factor)
        return _back(row.adjust(_as_floats(data), factor), data)

    kernel.__doc__ = row.documentation
    operator(f"_image_random_{row.name}", shape=single_image)(kernel)


for _row in ENHANCEMENTS:
    _register(_row)


@operator("_image_random_color_jitter", shape=single_image)
def random_colour_jitter(
    data: Array, *, brightness: float, contrast: float, saturation: float, hue: float, run: Run
) -> Any:
    """Change brightness, contrast, saturation and hue at random, in random order.

    Parameters
    ----------
    data : the image
    brightness, contrast, saturation : how far the factors lie from 1 at most; 0 changes nothing
    hue : what part of the circle the colours turn at most
    """
    pixels: Any = data
    amounts = (brightness, contrast, saturation, hue)
    random = run.own_random()
    for i in random.permutation(len(ENHANCEMENTS)):
        if amounts[i] > 0:
            change = random.uniform(-amounts[i], amounts[i])
            factor = change if ENHANCEMENTS[i].name == "hue" else 1 + change
            adjusted = ENHANCEMENTS[i].adjust(_as_floats(pixels), factor)
            pixels = _back(adjusted, data).astype(data.dtype)
    return pixels.view()


@operator("_image_adjust_lighting", shape=single_image)
def adjust_lighting(data: Array, *, alpha: tuple[float, ...]) -> Any:
    """Add light along the principal axes of natural colours, by the three numbers `alpha`."""
    if data.shape[2] == 1:
        return data.view()
    return _back(_as_floats(data) + _LIGHT @ np.asarray(alpha[:3], np.float32), data)


@operator("_image_random_lighting", shape=single_image)
def random_lighting(data: Array, *, alpha_std: float = 0.05, run: Run) -> Any:
    """Add light along the principal axes of natural colours, by three normal random numbers."""
    return adjust_lighting.kernel(data, alpha=tuple(run.own_random().normal(0, alpha_std, 3)))


@operator("_image_random_flip_left_right", shape=single_image)
def random_flip_left_right(data: Array, *, run: Run) -> Any:
    """Mirror an image left to right, every other time."""
    return flip_left_right.kernel(data) if run.own_random().random() < 0.5 else data.view()


@operator("_image_random_flip_top_bottom", shape=single_image)
def random_flip_top_bottom(data: Array, *, run: Run) -> Any:
    """Mirror an image top to bottom, every other time."""
    return flip_top_bottom.kernel(data) if run.own_random().random() < 0.5 else data.view()
