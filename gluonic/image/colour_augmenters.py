"""Augmenters that change colours: of float32 images, (height, width, channels), red first, from 0 to 255."""

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph import colours
from gluonic.graph.errors import InferenceError, describe
from gluonic.graph.versions import mark_modified
from gluonic.image.augmenter import Augmenter, RandomlyApplied, RandomOrderAug
from gluonic.ndarray import NDArray
from gluonic.ndarray.numpy_class import as_switched
from gluonic.ndarray.recording import check_writable
from gluonic.support.suppress_fp_warnings import quietly

__all__ = [
    "BrightnessJitterAug",
    "CastAug",
    "ColorJitterAug",
    "ColorNormalizeAug",
    "ContrastJitterAug",
    "HueJitterAug",
    "LightingAug",
    "RandomGrayAug",
    "SaturationJitterAug",
    "color_normalize",
]

_TO_YIQ = np.array([[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]])
_FROM_YIQ = np.array([[1.0, 0.956, 0.621], [1.0, -0.272, -0.647], [1.0, -1.107, 1.705]])
_GREY = np.tile(np.array([[0.21], [0.72], [0.07]]), 3)


def _factor(spread: float) -> float:
    """A random factor, at most `spread` away from 1."""
    return 1.0 + random.uniform(-spread, spread)


def _written(src: NDArray, change: Callable[[colours.Pixels], Any]) -> NDArray:
    """Change the pixels of an image in place by a function of `colours`."""
    _require_floats(src)
    check_writable(src, (src,))
    quietly(change, src.elements)
    mark_modified(src.elements)
    return src


def _is_floats(array: NDArray, rank: int = 3) -> bool:
    return np.dtype(array.dtype) == np.float32 and array.ndim == rank


def _require_floats(src: NDArray) -> None:
    if not _is_floats(src):
        raise InferenceError(
            describe(
                "colours are changed only in float32 images (height, width, channels), not "
                f"{np.dtype(src.dtype)} {src.shape}",
                hint="mx.image.CastAug() before",
            )
        )


def _transformed(src: NDArray, matrix: Any) -> NDArray:
    """The image with each pixel multiplied by a matrix."""
    product: NDArray = nd.dot(src, nd.array(matrix))
    return product


class BrightnessJitterAug(Augmenter):
    """Multiply an image by a random factor, in place.

    Parameters
    ----------
    brightness : largest difference of the factor from 1
    """

    def __init__(self, brightness: float) -> None:
        super().__init__(brightness=brightness)
        self.brightness = brightness

    def __call__(self, src: Any) -> Any:
        """Change an image, (height, width, channels)."""
        src *= _factor(self.brightness)
        return src


class ContrastJitterAug(Augmenter):
    """Scale the distance of an image from its mean luminance by a random factor, in place.

    Parameters
    ----------
    contrast : largest difference of the factor from 1
    """

    def __init__(self, contrast: float) -> None:
        super().__init__(contrast=contrast)
        self.contrast = contrast

    def __call__(self, src: Any) -> Any:
        """Change an image, (height, width, channels)."""
        factor = _factor(self.contrast)
        return _written(src, lambda p: colours.mixed(p, factor, colours.mean_luminance(p)))


class SaturationJitterAug(Augmenter):
    """Scale the distance of an image from its grey version by a random factor, in place.

    Parameters
    ----------
    saturation : largest difference of the factor from 1
    """

    def __init__(self, saturation: float) -> None:
        super().__init__(saturation=saturation)
        self.saturation = saturation

    def __call__(self, src: Any) -> Any:
        """Change an image, (height, width, channels)."""
        factor = _factor(self.saturation)
        return _written(src, lambda p: colours.mixed(p, factor, colours.luminance(p)))


class HueJitterAug(Augmenter):
    """Rotate the colours of an image by a random angle, in the IQ plane of the YIQ colour space.

    Parameters
    ----------
    hue : the largest angle; 1 is half the circle
    """

    def __init__(self, hue: float) -> None:
        super().__init__(hue=hue)
        self.hue = hue

    def __call__(self, src: Any) -> Any:
        """Change an image, (height, width, channels)."""
        angle = random.uniform(-self.hue, self.hue) * math.pi
        cos, sin = math.cos(angle), math.sin(angle)
        turned = np.array([[1, 0, 0], [0, cos, -sin], [0, sin, cos]])
        return _transformed(src, (_FROM_YIQ @ turned @ _TO_YIQ).T)


class ColorJitterAug(RandomOrderAug):
    """Change brightness, contrast and saturation, in a random order.

    Parameters
    ----------
    brightness, contrast, saturation : largest distance of each factor from 1; 0 skips it
    """

    def __init__(self, brightness: float, contrast: float, saturation: float) -> None:
        kinds = {
            BrightnessJitterAug: brightness,
            ContrastJitterAug: contrast,
            SaturationJitterAug: saturation,
        }
        super().__init__([kind(spread) for kind, spread in kinds.items() if spread > 0])


class LightingAug(Augmenter):
    """Add light of a random colour, in place (Krizhevsky et al., 2012).

    Parameters
    ----------
    alphastd : the standard deviation of the axes' coefficients
    eigval : the eigenvalues of the three principal axes of colours
    eigvec : the axes, as columns of a matrix
    """

    def __init__(self, alphastd: float, eigval: Any, eigvec: Any) -> None:
        super().__init__(alphastd=alphastd, eigval=eigval, eigvec=eigvec)
        self.alphastd, self.eigval, self.eigvec = alphastd, eigval, eigvec

    def __call__(self, src: Any) -> Any:
        """Change an image, (height, width, channels)."""
        alpha = np.random.normal(0, self.alphastd, size=(3,))
        light = np.dot(self.eigvec * alpha, self.eigval).astype(np.float32)
        return _written(src, lambda pixels: colours.by_channel(np.add, pixels, light))


class ColorNormalizeAug(Augmenter):
    """Subtract a mean and divide by a standard deviation, in place.

    Parameters
    ----------
    mean, std : arrays with a number for each channel, or None
    """

    def __init__(self, mean: Any, std: Any) -> None:
        super().__init__(mean=mean, std=std)
        self.mean, self.std = (
            value if value is None or isinstance(value, NDArray) else as_switched(nd.array(value))
            for value in (mean, std)
        )

    def __call__(self, src: Any) -> Any:
        """Change an image, (height, width, channels)."""
        return color_normalize(src, self.mean, self.std)


class RandomGrayAug(RandomlyApplied, Augmenter):
    """Turn an image grey with a probability.

    Parameters
    ----------
    p : probability
    """

    def __call__(self, src: Any) -> Any:
        """Change an image, (height, width, channels), or leave it alone."""
        return _transformed(src, _GREY) if self._is_due() else src


class CastAug(Augmenter):
    """Convert to a dtype.

    Parameters
    ----------
    typ : the dtype
    """

    def __init__(self, typ: str = "float32") -> None:
        super().__init__(type=typ)
        self.typ = typ

    def __call__(self, src: Any) -> Any:
        """Convert an image, (height, width, channels)."""
        return src.astype(self.typ)


def color_normalize(src: Any, mean: Any, std: Any = None) -> Any:
    """Subtract a mean from an image and divide it by a standard deviation, in place.

    Parameters
    ----------
    src : floating, (height, width, channels)
    mean, std : arrays with a number for each channel, or None
    """
    if mean is not None and not _done_by_channel(np.subtract, src, mean):
        src -= mean
    if std is not None and not _done_by_channel(np.divide, src, std):
        src /= std
    return src


def _done_by_channel(function: np.ufunc, src: Any, numbers: Any) -> bool:
    """Change an image by a float32 number for each channel; return False for other arguments."""
    if not (_is_floats(src) and _is_floats(numbers, 1) and numbers.shape == src.shape[2:]):
        return False
    _written(src, lambda pixels: colours.by_channel(function, pixels, numbers.elements))
    return True
