"""Random changes of the colours of one image, (height, width, channels), red first, 0 to 255."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.colours import GRAY, LIGHT, by_channel, changed, mean_luminance, mixed, turned
from gluonic.graph.operator import Array, Run, operator
from gluonic.graph.ops.image import flip_left_right, flip_top_bottom, single_image
from gluonic.graph.random_source import Draws
from gluonic.graph.singles import single

Adjustment = Callable[[Array, float], Array]


def _brightness(image: Array, factor: float) -> Array:
    return changed(image, lambda pixels: pixels * single(factor))


def _contrast(image: Array, factor: float) -> Array:
    if not image.size:
        return image
    mean = mean_luminance(image)
    return changed(image, lambda pixels: mixed(pixels, factor, mean))


def _saturation(image: Array, factor: float) -> Array:
    """Mix with what MXNet 1.9.1 takes for the luminance of pixels: that of blue alone."""
    if image.shape[2] == 1:
        return image
    return changed(image, lambda pixels: mixed(pixels, factor, pixels[..., 2] * GRAY[2]))


def _hue(image: Array, turns: float) -> Array:
    return image if image.shape[2] == 1 else changed(image, lambda pixels: turned(pixels, turns))


class Enhancement(NamedTuple):
    """A row of the table: the operator's name, its documentation, what it does with a number."""

    name: str
    documentation: str
    adjust: Adjustment


ENHANCEMENTS = [
    Enhancement("brightness", "Multiply an image by a random factor.", _brightness),
    Enhancement("contrast", "Scale an image by a random factor around its mean.", _contrast),
    Enhancement("saturation", "Mix an image with its gray one by a random factor.", _saturation),
    Enhancement("hue", "Rotate the hue of an image by a random part of the circle.", _hue),
]


def _between(random: Draws, low: float, high: float) -> Any:
    """A number drawn evenly, in float32."""
    begin = np.float32(low)
    return random.uniforms((1,))[0] * (np.float32(high) - begin) + begin


def _every_other(random: Draws, image: Array, other: Array) -> Any:
    """An image or another one, each for every other draw."""
    return np.where(random.uniforms((1,), np.float64)[0] < 0.5, image, other)


def _order_of_four(random: Draws) -> list[int]:
    """An order of four items, as `std::shuffle` of MXNet's C++ library draws it: an integer per position."""
    order = [0, 1, 2, 3]
    for index, other in enumerate(random.below(np.array([2, 3, 4])).tolist(), 1):
        order[index], order[other] = order[other], order[index]
    return order


def _register(row: Enhancement) -> None:
    def kernel(data: Array, *, min_factor: float, max_factor: float, run: Run) -> Any:
        return row.adjust(data, _between(run.random, min_factor, max_factor))

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
    hue : the largest rotation of the hue, as a part of the circle
    """
    image = data
    amounts = (brightness, contrast, saturation, hue)
    for i in _order_of_four(run.random):
        if amounts[i] > 0:
            change = _between(run.random, -amounts[i], amounts[i])
            factor = change if ENHANCEMENTS[i].name == "hue" else 1 + change
            image = ENHANCEMENTS[i].adjust(image, factor)
    return image.view()


@operator("_image_adjust_lighting", shape=single_image)
def adjust_lighting(data: Array, *, alpha: tuple[float, ...]) -> Any:
    """Add light along the principal axes of natural colours, by the three numbers `alpha`."""
    return _lit(data, np.asarray(alpha[:3], np.float32))


def _lit(data: Array, alpha: Array) -> Any:
    """An image with light along three axes."""
    if data.shape[2] == 1:
        return data.view()
    light = LIGHT @ alpha
    return changed(data, lambda pixels: by_channel(np.add, pixels, light))


@operator("_image_random_lighting", shape=single_image)
def random_lighting(data: Array, *, alpha_std: float = 0.05, run: Run) -> Any:
    """Add light along the principal axes of natural colours, by three normal random numbers."""
    return _lit(data, np.float32(alpha_std) * run.random.normals((3,)))


@operator("_image_random_flip_left_right", shape=single_image)
def random_flip_left_right(data: Array, *, run: Run) -> Any:
    """Mirror an image left to right, every other time."""
    return _every_other(run.random, data, flip_left_right.kernel(data))


@operator("_image_random_flip_top_bottom", shape=single_image)
def random_flip_top_bottom(data: Array, *, run: Run) -> Any:
    """Mirror an image top to bottom, every other time."""
    return _every_other(run.random, data, flip_top_bottom.kernel(data))
