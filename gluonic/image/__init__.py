"""``mx.image``: reading, resizing, cropping, rotating and augmenting images; iterators over image files."""

from gluonic.image.augmenter import Augmenter, RandomOrderAug, SequentialAug
from gluonic.image.colour_augmenters import (
    BrightnessJitterAug,
    CastAug,
    ColorJitterAug,
    ColorNormalizeAug,
    ContrastJitterAug,
    HueJitterAug,
    LightingAug,
    RandomGrayAug,
    SaturationJitterAug,
    color_normalize,
)
from gluonic.image.cropping import (
    center_crop,
    copyMakeBorder,
    fixed_crop,
    random_crop,
    random_size_crop,
)
from gluonic.image.detection_augmenter import (
    DetAugmenter,
    DetBorrowAug,
    DetHorizontalFlipAug,
    DetRandomSelectAug,
)
from gluonic.image.detection_iterator import ImageDetIter
from gluonic.image.detection_windows import DetRandomCropAug, DetRandomPadAug
from gluonic.image.iterator import ImageIter
from gluonic.image.reading import imdecode, imread
from gluonic.image.resizing import imresize, resize_short, scale_down
from gluonic.image.rotation import imrotate, random_rotate
from gluonic.image.shape_augmenters import (
    CenterCropAug,
    ForceResizeAug,
    HorizontalFlipAug,
    RandomCropAug,
    RandomSizedCropAug,
    ResizeAug,
)
from gluonic.image.standard_augmenters import CreateAugmenter
from gluonic.image.standard_detection import CreateDetAugmenter, CreateMultiRandCropAugmenter

__all__ = [
    "Augmenter",
    "BrightnessJitterAug",
    "CastAug",
    "CenterCropAug",
    "ColorJitterAug",
    "ColorNormalizeAug",
    "ContrastJitterAug",
    "CreateAugmenter",
    "CreateDetAugmenter",
    "CreateMultiRandCropAugmenter",
    "DetAugmenter",
    "DetBorrowAug",
    "DetHorizontalFlipAug",
    "DetRandomCropAug",
    "DetRandomPadAug",
    "DetRandomSelectAug",
    "ForceResizeAug",
    "HorizontalFlipAug",
    "HueJitterAug",
    "ImageDetIter",
    "ImageIter",
    "LightingAug",
    "RandomCropAug",
    "RandomGrayAug",
    "RandomOrderAug",
    "RandomSizedCropAug",
    "ResizeAug",
    "SaturationJitterAug",
    "SequentialAug",
    "center_crop",
    "color_normalize",
    "copyMakeBorder",
    "fixed_crop",
    "imdecode",
    "imread",
    "imresize",
    "imrotate",
    "random_crop",
    "random_rotate",
    "random_size_crop",
    "resize_short",
    "scale_down",
]
