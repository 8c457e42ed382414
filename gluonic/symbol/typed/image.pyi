"""The functions of symbol.image that are made at run time; written by ``python -m gluonic.tools.stubs``."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from numpy.typing import DTypeLike

from gluonic.ndarray.context import Context
from gluonic.symbol.symbol import Symbol

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
    data: Symbol | None = None,
    alpha: float | Sequence[float] = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Add light along the principal axes of natural colours, by the three numbers `alpha`."""

def crop(
    data: Symbol | None = None,
    x: int = ...,
    y: int = ...,
    width: int = ...,
    height: int = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Cut out a rectangle."""

def flip_left_right(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Mirror an image, (height, width, channels), left to right."""

def flip_top_bottom(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Mirror an image, (height, width, channels), top to bottom."""

def normalize(
    data: Symbol | None = None,
    mean: float | Sequence[float] = ...,
    std: float | Sequence[float] = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Subtract a mean from each channel and divide it by a standard deviation."""

def random_brightness(
    data: Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Multiply an image by a random factor."""

def random_color_jitter(
    data: Symbol | None = None,
    brightness: float = ...,
    contrast: float = ...,
    saturation: float = ...,
    hue: float = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Change brightness, contrast, saturation and hue at random, in random order."""

def random_contrast(
    data: Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Scale an image by a random factor around its mean."""

def random_flip_left_right(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Mirror an image left to right, every other time."""

def random_flip_top_bottom(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Mirror an image top to bottom, every other time."""

def random_hue(
    data: Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Rotate the hue of an image by a random part of the circle."""

def random_lighting(
    data: Symbol | None = None,
    alpha_std: float = 0.05,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Add light along the principal axes of natural colours, by three normal random numbers."""

def random_saturation(
    data: Symbol | None = None,
    min_factor: float = ...,
    max_factor: float = ...,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Mix an image with its gray one by a random factor."""

def resize(
    data: Symbol | None = None,
    size: int | Sequence[int] = (),
    keep_ratio: bool | int = False,
    interp: int = 1,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Resize images."""

def to_tensor(
    data: Symbol | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Symbol:
    """Put the channels first and divide by 255."""
