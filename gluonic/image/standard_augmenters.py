"""The default augmenters of iterators."""

from typing import Any

import numpy as np

from gluonic import ndarray as nd
from gluonic.graph.colours import LIGHT_AXES, LIGHT_SPREADS
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.image.augmenter import Augmenter
from gluonic.image.colour_augmenters import (
    CastAug,
    ColorJitterAug,
    ColorNormalizeAug,
    HueJitterAug,
    LightingAug,
    RandomGrayAug,
)
from gluonic.image.shape_augmenters import (
    CenterCropAug,
    HorizontalFlipAug,
    RandomCropAug,
    RandomSizedCropAug,
    ResizeAug,
)
from gluonic.ndarray import NDArray
from gluonic.ndarray.numpy_class import as_switched

__all__ = ["CreateAugmenter"]

# The statistics of ImageNet's pixels.
_BY_CHANNEL = {
    "mean": np.array([123.68, 116.28, 103.53]),
    "std": np.array([58.395, 57.12, 57.375]),
}


def CreateAugmenter(
    data_shape: tuple[int, int, int],
    resize: int = 0,
    rand_crop: bool = False,
    rand_resize: bool = False,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    hue: float = 0,
    pca_noise: float = 0,
    rand_gray: float = 0,
    inter_method: int = 2,
) -> list[Augmenter]:
    """Make a list of augmenters for image classification.

    Parameters
    ----------
    data_shape : (channels, height, width) of the results
    resize : the shorter edge that images are resized to first; 0 leaves them
    rand_crop : crop at random instead of at the centre
    rand_resize : with `rand_crop`: crop random areas with random aspect ratios
    rand_mirror : mirror half of the images
    mean, std : arrays with a number for each channel, to subtract and to divide by; True: those of ImageNet
    brightness, contrast, saturation : largest distance of the random factors from 1
    hue : the largest angle of a random rotation of the colours; 1 is half the circle
    pca_noise : the standard deviation of light added along the principal axes of ImageNet's colours
    rand_gray : the probability of turning an image grey
    inter_method : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random

    Examples
    --------
    >>> [type(each).__name__ for each in CreateAugmenter((3, 32, 32), rand_crop=True)]
    ['RandomCropAug', 'CastAug']
    """
    made: list[Augmenter] = [ResizeAug(resize, inter_method)] if resize > 0 else []
    made.append(_crop(data_shape, rand_crop, rand_resize, inter_method))
    if rand_mirror:
        made.append(HorizontalFlipAug(0.5))
    made.append(CastAug())
    mean, std = (
        as_switched(nd.array(_BY_CHANNEL[name])) if given is True else given
        for name, given in (("mean", mean), ("std", std))
    )
    return made + colour_augmenters(
        brightness, contrast, saturation, hue, pca_noise, rand_gray, mean, std
    )


def _crop(data_shape: Any, at_random: bool, of_random_size: bool, interp: int) -> Augmenter:
    size = (data_shape[2], data_shape[1])
    if of_random_size:
        if not at_random:
            raise AttributeValueError(
                describe("CreateAugmenter: rand_resize needs rand_crop", hint="rand_crop=True")
            )
        return RandomSizedCropAug(size, 0.08, (3 / 4, 4 / 3), interp)
    return (RandomCropAug if at_random else CenterCropAug)(size, interp)


def colour_augmenters(
    brightness: float,
    contrast: float,
    saturation: float,
    hue: float,
    pca_noise: float,
    rand_gray: float,
    mean: Any,
    std: Any,
) -> list[Augmenter]:
    """Make the augmenters that change colours; the parameters are those of `CreateAugmenter`."""
    made: list[Augmenter] = []
    if brightness or contrast or saturation:
        made.append(ColorJitterAug(brightness, contrast, saturation))
    if hue:
        made.append(HueJitterAug(hue))
    if pca_noise > 0:
        made.append(LightingAug(pca_noise, LIGHT_SPREADS, LIGHT_AXES))
    if rand_gray > 0:
        made.append(RandomGrayAug(rand_gray))
    mean, std = by_channel("mean", mean), by_channel("std", std)
    if mean is not None or std is not None:
        made.append(ColorNormalizeAug(mean, std))
    return made


def by_channel(name: str, given: Any) -> Any:
    """A number for each channel, or None.

    Parameters
    ----------
    name : ``mean`` or ``std``
    given : the numbers; True: those of ImageNet

    Raises
    ------
    AttributeValueError
        if it is anything else
    """
    if given is None:
        return None
    if given is True:
        return _BY_CHANNEL[name]
    if not isinstance(given, (np.ndarray, NDArray)) or given.shape[0] not in (1, 3):
        raise AttributeValueError(
            describe(
                f"{name} must be True, or an array of 1 or 3 numbers, not {given!r}",
                hint=f"{name}=np.array([...])",
            )
        )
    return given
