"""The default augmenters of iterators over images with objects."""

from typing import Any

from gluonic.graph.errors import AttributeValueError, describe
from gluonic.image.colour_augmenters import CastAug
from gluonic.image.detection_augmenter import (
    DetAugmenter,
    DetBorrowAug,
    DetHorizontalFlipAug,
    DetRandomSelectAug,
)
from gluonic.image.detection_windows import DetRandomCropAug, DetRandomPadAug
from gluonic.image.shape_augmenters import ForceResizeAug, ResizeAug
from gluonic.image.standard_augmenters import colour_augmenters

__all__ = ["CreateDetAugmenter", "CreateMultiRandCropAugmenter"]


def CreateMultiRandCropAugmenter(
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    skip_prob: float = 0,
) -> DetRandomSelectAug:
    """Make an augmenter that uses one of several `DetRandomCropAug`.

    Parameters
    ----------
    min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts : as
        `DetRandomCropAug` takes them, or a list with one for each
    skip_prob : probability of using none

    Examples
    --------
    >>> len(CreateMultiRandCropAugmenter(min_object_covered=[0.1, 0.5, 0.9]).aug_list)
    3
    """
    given = (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts)
    lists = [value if isinstance(value, list) else [value] for value in given]
    count = max(map(len, lists))
    if any(len(values) not in (1, count) for values in lists):
        raise AttributeValueError(
            describe(
                f"CreateMultiRandCropAugmenter: lists of {', '.join(str(len(v)) for v in lists)} values",
                hint="lists of one length, or single values",
            )
        )
    lists = [values * count if len(values) == 1 else values for values in lists]
    crops = [DetRandomCropAug(*values) for values in zip(*lists, strict=True)]
    return DetRandomSelectAug(crops, skip_prob)


def CreateDetAugmenter(
    data_shape: tuple[int, int, int],
    resize: int = 0,
    rand_crop: float = 0,
    rand_pad: float = 0,
    rand_gray: float = 0,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    pca_noise: float = 0,
    hue: float = 0,
    inter_method: int = 2,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 3.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    pad_val: Any = (127, 127, 127),
) -> list[DetAugmenter]:
    """Make a list of augmenters for object detection.

    Parameters
    ----------
    data_shape : (channels, height, width) of the results
    resize : the shorter edge that images are resized to first; 0 leaves them
    rand_crop, rand_pad : probabilities of cropping and of padding
    rand_gray : the probability of turning an image grey
    rand_mirror : mirror half of the images
    mean, std : arrays with a number for each channel, to subtract and to divide by; True: those of ImageNet
    brightness, contrast, saturation : largest distance of the random factors from 1
    pca_noise : the standard deviation of light added along the principal axes of ImageNet's colours
    hue : the largest angle of a random rotation of the colours; 1 is half the circle
    inter_method : 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos; 9 chooses by the sizes, 10 at random
    min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts : as
        `CreateMultiRandCropAugmenter` takes them; `DetRandomPadAug` pads up to the largest area
    pad_val : the colour of the padding
    """
    made: list[DetAugmenter] = []
    if resize > 0:
        made.append(DetBorrowAug(ResizeAug(resize, inter_method)))
    if rand_crop > 0:
        crop = (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage)
        made.append(CreateMultiRandCropAugmenter(*crop, max_attempts, 1 - rand_crop))
    if rand_mirror > 0:
        made.append(DetHorizontalFlipAug(0.5))
    if rand_pad > 0:
        pad = DetRandomPadAug(aspect_ratio_range, (1.0, area_range[1]), max_attempts, pad_val)
        made.append(DetRandomSelectAug([pad], 1 - rand_pad))
    size = (data_shape[2], data_shape[1])
    colours = colour_augmenters(
        brightness, contrast, saturation, hue, pca_noise, rand_gray, mean, std
    )
    borrowed = [ForceResizeAug(size, inter_method), CastAug(), *colours]
    return made + [DetBorrowAug(augmenter) for augmenter in borrowed]
