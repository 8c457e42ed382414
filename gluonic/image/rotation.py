"""Rotating images about their centre."""

from numbers import Real
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.ndarray import NDArray

__all__ = ["imrotate", "random_rotate"]


def imrotate(
    src: Any, rotation_degrees: Any, zoom_in: bool = False, zoom_out: bool = False
) -> NDArray:
    """Rotate images about their centre; pixels from outside are zero.

    Parameters
    ----------
    src : float32, one image (channels, height, width) or several (images, channels, height, width)
    rotation_degrees : the angle; or an array with one for each image
    zoom_in : enlarge until nothing from outside is visible
    zoom_out : shrink until all of the image is visible

    Raises
    ------
    ValueError
        if both zooms are requested, or `src` is neither one image nor several
    TypeError
        if `src` is not float32, or one image is given several angles

    Examples
    --------
    >>> import gluonic as mx
    >>> mx.image.imrotate(mx.nd.array([[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]), 90).asnumpy().round()
    array([[[3., 6., 9.],
            [2., 5., 8.],
            [1., 4., 7.]]], dtype=float32)
    """
    if zoom_in and zoom_out:
        raise AttributeValueError("imrotate: zoom_in and zoom_out cannot both be True")
    if np.dtype(src.dtype) != np.float32:
        raise AttributeValueError(
            describe(
                "imrotate: images must be float32", hint="astype('float32'), or ToTensor, before"
            )
        )
    if src.ndim not in (3, 4):
        raise AttributeValueError(f"imrotate: images have 3 or 4 axes, not {src.ndim}")
    angles = _angles(src, rotation_degrees)
    images = nd.expand_dims(src, axis=0) if src.ndim == 3 else src
    grid = nd.array(
        _grid(angles, (images.shape[2], images.shape[3]), zoom_in, zoom_out), ctx=src.context
    )
    turned = nd.BilinearSampler(images, grid)
    return turned[0] if src.ndim == 3 else turned


def _angles(src: Any, degrees: Any) -> Any:
    """An angle in radians for each image."""
    if isinstance(degrees, Real):
        return np.full(1 if src.ndim == 3 else len(src), np.radians(float(degrees)))
    if src.ndim == 3:
        raise AttributeValueError("imrotate: the angle of a single image must be a number")
    if len(src) != len(degrees):
        raise AttributeValueError(
            f"imrotate: {len(degrees)} angles do not go with {len(src)} images"
        )
    return np.radians(degrees.asnumpy() if isinstance(degrees, NDArray) else np.asarray(degrees))


def _grid(angles: Any, size: tuple[int, int], zoom_in: bool, zoom_out: bool) -> Any:
    """The sampling grid of `BilinearSampler`: x and y from -1 to 1, (images, 2, *size)."""
    height, width = size
    half_height, half_width = (height - 1) / 2, (width - 1) / 2
    angles = angles.astype(np.float64).reshape(-1, 1, 1)
    cos, sin = np.cos(angles), np.sin(angles)
    scale = _scale(height, width, np.abs(cos), np.abs(sin), zoom_out) if zoom_in or zoom_out else 1
    y = np.arange(height)[:, None] - half_height
    x = np.arange(width) - half_width
    grid = np.empty((len(angles), 2, height, width), np.float32)
    np.subtract(x * (cos * scale / half_width), y * (sin * scale / half_width), out=grid[:, 0])
    np.add(x * (sin * scale / half_height), y * (cos * scale / half_height), out=grid[:, 1])
    return grid


def _scale(height: int, width: int, cos: Any, sin: Any, zoom_out: bool) -> Any:
    """The scale at which a rotated image is entirely visible, or fills the frame."""
    wide, high = width * cos + height * sin, width * sin + height * cos
    if zoom_out:
        return np.maximum(wide / width, high / height)
    return np.minimum(width / wide, height / high)


def random_rotate(
    src: Any, angle_limits: tuple[float, float], zoom_in: bool = False, zoom_out: bool = False
) -> NDArray:
    """Rotate images by random angles, a different one for each image.

    Parameters
    ----------
    src : float32, one image (channels, height, width) or several (images, channels, height, width)
    angle_limits : the least and the largest angle, in degrees
    zoom_in : enlarge until nothing from outside is visible
    zoom_out : shrink until all of the image is visible
    """
    count = None if src.ndim == 3 else len(src)
    return imrotate(src, np.random.uniform(*angle_limits, size=count), zoom_in, zoom_out)
