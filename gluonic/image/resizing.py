"""Resizing images."""

from typing import Any

from gluonic.image.interpolation import _get_interp_method
from gluonic.ndarray import _internal

__all__ = ["imresize", "resize_short", "scale_down"]

Size = tuple[int, int]


def imresize(src: Any, w: int, h: int, interp: int = 1, out: Any = None) -> Any:
    """Resize an image.

    Parameters
    ----------
    src : (height, width, channels); uint8, float32 or float64
    w, h : the new width and height
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos
    out : an array to write the result into

    Returns
    -------
    NDArray
        (`h`, `w`, channels)

    Examples
    --------
    >>> import gluonic as mx
    >>> mx.image.imresize(mx.nd.ones((4, 6, 3)), 3, 2).shape
    (2, 3, 3)
    """
    return _internal._cvimresize(src, w=w, h=h, interp=interp, out=out)


def scale_down(src_size: Size, size: Size) -> Size:
    """Shrink the size of a crop in proportion until it fits into an image.

    Parameters
    ----------
    src_size : width and height of the image
    size : width and height of the crop

    Examples
    --------
    >>> scale_down((640, 480), (720, 120))
    (640, 106)
    """
    width, height = float(size[0]), float(size[1])
    if src_size[1] < height:
        width, height = width * src_size[1] / height, src_size[1]
    if src_size[0] < width:
        width, height = src_size[0], height * src_size[0] / width
    return int(width), int(height)


def resize_short(src: Any, size: int, interp: int = 2) -> Any:
    """Resize an image so that its shorter edge is `size` pixels long; keep the aspect ratio.

    Parameters
    ----------
    src : (height, width, channels)
    size : the new length of the shorter edge
    interp : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random
    """
    height, width = src.shape[:2]
    if height > width:
        h, w = size * height // width, size
    else:
        h, w = size, size * width // height
    return imresize(src, w, h, _get_interp_method(interp, (height, width, h, w)))
