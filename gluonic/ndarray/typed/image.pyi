"""The functions of ndarray.image that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.ndarray.array import NDArray

__all__: list[str] = [
    "adjust_lighting",
    "crop",
    "flip_left_right",
    "flip_top_bottom",
    "normalize",
    "random_brightness",
    "random_color_jitter",
    "random_contrast",
    "random_flip_left_right",
    "random_flip_top_bottom",
    "random_hue",
    "random_lighting",
    "random_saturation",
    "resize",
    "to_tensor",
]

def adjust_lighting(
    data: NDArray,
    alpha: float | Sequence[float] = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Add light along the principal axes of natural colours, by the three numbers `alpha`."""

def crop(
    data: NDArray,
    x: int = ...,
    y: int = ...,
    width: int = ...,
    height: int = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Cut out a rectangle."""

def flip_left_right(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Mirror an image, (height, width, channels), left to right."""

def flip_top_bottom(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Mirror an image, (height, width, channels), top to bottom."""

def normalize(
    data: NDArray,
    mean: float | Sequence[float] = ...,
    std: float | Sequence[float] = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Subtract a mean from each channel and divide it by a standard deviation."""

def random_brightness(
    data: NDArray,
    min_factor: float = ...,
    max_factor: float = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Multiply an image by a random factor."""

def random_color_jitter(
    data: NDArray,
    brightness: float = ...,
    contrast: float = ...,
    saturation: float = ...,
    hue: float = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Change brightness, contrast, saturation and hue at random, in random order."""

def random_contrast(
    data: NDArray,
    min_factor: float = ...,
    max_factor: float = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Scale an image by a random factor around its mean."""

def random_flip_left_right(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Mirror an image left to right, every other time."""

def random_flip_top_bottom(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Mirror an image top to bottom, every other time."""

def random_hue(
    data: NDArray,
    min_factor: float = ...,
    max_factor: float = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Rotate the hue of an image by a random part of the circle."""

def random_lighting(
    data: NDArray,
    alpha_std: float = 0.05,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Add light along the principal axes of natural colours, by three normal random numbers."""

def random_saturation(
    data: NDArray,
    min_factor: float = ...,
    max_factor: float = ...,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Mix an image with its gray one by a random factor."""

def resize(
    data: NDArray,
    size: int | Sequence[int] = (),
    keep_ratio: bool | int = False,
    interp: int = 1,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Resize images."""

def to_tensor(
    data: NDArray,
    out: NDArray | Sequence[NDArray] | None = None,
    name: str | None = None,
) -> NDArray:
    """Put the channels first and divide by 255."""
