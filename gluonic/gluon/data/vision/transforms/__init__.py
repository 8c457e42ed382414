"""Transforms of images, as blocks.

Images are ``(height, width, channels)``; `ToTensor` turns them into ``(channels, height, width)``.
"""

from gluonic.gluon.data.vision.transforms.colours import (
    RandomBrightness,
    RandomColorJitter,
    RandomContrast,
    RandomHue,
    RandomLighting,
    RandomSaturation,
)
from gluonic.gluon.data.vision.transforms.composing import Compose, RandomApply
from gluonic.gluon.data.vision.transforms.conversion import Cast, Normalize, ToTensor
from gluonic.gluon.data.vision.transforms.cropping import (
    CenterCrop,
    CropResize,
    RandomResizedCrop,
    Resize,
)
from gluonic.gluon.data.vision.transforms.turning import (
    RandomFlipLeftRight,
    RandomFlipTopBottom,
    RandomRotation,
    Rotate,
)

__all__ = [
    "Cast",
    "CenterCrop",
    "Compose",
    "CropResize",
    "Normalize",
    "RandomApply",
    "RandomBrightness",
    "RandomColorJitter",
    "RandomContrast",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomHue",
    "RandomLighting",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomSaturation",
    "Resize",
    "Rotate",
    "ToTensor",
]
