"""Cropping and padding images."""

import random
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.errors import CallError, describe
from gluonic.image.interpolation import _get_interp_method
from gluonic.image.resizing import Size, imresize, scale_down
from gluonic.ndarray import _internal

__all__ = ["center_crop", "copyMakeBorder", "fixed_crop", "random_crop", "random_size_crop"]

Rectangle = tuple[int, int, int, int]
_ATTEMPTS = 10


def fixed_crop(
    src: Any, x0: int, y0: int, w: int, h: int, size: Size | None = None, interp: int = 2
) -> Any:
    """Cut out a rectangle, and resize it if a size is given.

    Parameters
    ----------
    src : (height, width, channels)
    x0, y0 : the upper left corner
    w, h : width and height of the rectangle
    size : width and height of the result; those of the rectangle by default
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random
    """
    part = src[y0 : y0 + h, x0 : x0 + w]
    if size is None or (w, h) == tuple(size):
        return part
    width, height = size
    return imresize(part, width, height, _get_interp_method(interp, (h, w, height, width)))


def _crop_to(src: Any, rectangle: Rectangle, size: Size, interp: int) -> tuple[Any, Rectangle]:
    return fixed_crop(src, *rectangle, size, interp), rectangle


def _anywhere(src: Any, w: int, h: int) -> Rectangle:
    """A rectangle of a size at a random position."""
    height, width = src.shape[:2]
    x0 = random.randint(0, width - w)
    return x0, random.randint(0, height - h), w, h


def random_crop(src: Any, size: Size, interp: int = 2) -> tuple[Any, Rectangle]:
    """Cut out a rectangle at a random position; enlarge it if the image is too small.

    Parameters
    ----------
    src : (height, width, channels)
    size : width and height of the result
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random

    Returns
    -------
    The part, and where it was: x, y, width, height.
    """
    w, h = scale_down(src.shape[1::-1], size)
    return _crop_to(src, _anywhere(src, w, h), size, interp)


def center_crop(src: Any, size: Size, interp: int = 2) -> tuple[Any, Rectangle]:
    """Cut out the centre; enlarge it if the image is too small.

    Parameters
    ----------
    src : (height, width, channels)
    size : width and height of the result
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random

    Returns
    -------
    The part, and where it was: x, y, width, height.

    Examples
    --------
    >>> import gluonic as mx
    >>> part, window = mx.image.center_crop(mx.nd.ones((6, 8, 3)), (4, 4))
    >>> part.shape, window
    ((4, 4, 3), (2, 1, 4, 4))
    """
    height, width = src.shape[:2]
    w, h = scale_down((width, height), size)
    return _crop_to(src, ((width - w) // 2, (height - h) // 2, w, h), size, interp)


def random_size_crop(
    src: Any,
    size: Size,
    area: float | tuple[float, float],
    ratio: Sequence[float],
    interp: int = 2,
    **kwargs: Any,
) -> tuple[Any, Rectangle]:
    """Cut out a rectangle of random area and aspect ratio, and resize it (Szegedy et al., 2015).

    If ten of them do not fit into the image, its centre is cut out.

    Parameters
    ----------
    src : (height, width, channels)
    size : width and height of the result
    area : the least fraction of the image's area to cut out; or the least and the largest
    ratio : the least and the largest ratio of width to height
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random
    min_area : an old name of `area`

    Returns
    -------
    The part, and where it was: x, y, width, height.
    """
    least, most = limits_of_area(area, kwargs, "random_size_crop")
    height, width = src.shape[:2]
    logarithms = np.log(ratio[0]), np.log(ratio[1])
    for _ in range(_ATTEMPTS):
        pixels = random.uniform(least, most) * (height * width)
        proportion = np.exp(random.uniform(*logarithms))
        w, h = round(np.sqrt(pixels * proportion)), round(np.sqrt(pixels / proportion))
        if 0 < w <= width and 0 < h <= height:
            return _crop_to(src, _anywhere(src, w, h), size, interp)
    return center_crop(src, size, interp)


def limits_of_area(area: Any, kwargs: dict[str, Any], where: str) -> tuple[float, float]:
    """The least and the largest area that `random_size_crop` may cut out.

    Parameters
    ----------
    area : both, or the least
    kwargs : further arguments of the call: none, or ``min_area``
    where : the function called
    """
    area = renamed_area(area, kwargs, where)
    return tuple(area) if isinstance(area, (tuple, list)) else (area, 1.0)


def renamed_area(area: Any, kwargs: dict[str, Any], where: str) -> Any:
    """The argument `area`, formerly ``min_area``.

    Raises
    ------
    CallError
        for any other argument
    """
    if unknown := kwargs.keys() - {"min_area"}:
        raise CallError(
            describe(
                f"unexpected keyword arguments: {', '.join(sorted(unknown))}",
                where=where,
                hint="area, ratio and interp describe the crop",
            )
        )
    if "min_area" not in kwargs:
        return area
    warnings.warn("`min_area` is deprecated: use `area`", DeprecationWarning, stacklevel=4)
    return kwargs["min_area"]


def copyMakeBorder(
    src: Any,
    top: int,
    bot: int,
    left: int,
    right: int,
    type: int = 0,
    value: float = 0.0,
    values: Sequence[float] = (),
    out: Any = None,
    name: str | None = None,
) -> Any:
    """Pad an image.

    Parameters
    ----------
    src : (height, width, channels)
    top, bot, left, right : width of the padding, in pixels
    type : 0 for one colour, 1 repeats the outermost pixels, 2 mirrors the image, 3 wraps around, 4 mirrors
        without repeating the outermost pixels; OpenCV's flag 16 has no effect
    value, values : with type 0, the fill value, or one for each channel
    out : an array to write the result into
    name : accepted for compatibility
    """
    return _internal._cvcopyMakeBorder(
        src,
        top=top,
        bot=bot,
        left=left,
        right=right,
        type=type,
        value=value,
        values=values,
        out=out,
    )
