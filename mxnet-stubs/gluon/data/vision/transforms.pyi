"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.data.vision.transforms import *
from gluonic.gluon.data.vision.transforms import (
    Cast as Cast,
    CenterCrop as CenterCrop,
    Compose as Compose,
    CropResize as CropResize,
    Normalize as Normalize,
    RandomApply as RandomApply,
    RandomBrightness as RandomBrightness,
    RandomColorJitter as RandomColorJitter,
    RandomContrast as RandomContrast,
    RandomFlipLeftRight as RandomFlipLeftRight,
    RandomFlipTopBottom as RandomFlipTopBottom,
    RandomHue as RandomHue,
    RandomLighting as RandomLighting,
    RandomResizedCrop as RandomResizedCrop,
    RandomRotation as RandomRotation,
    RandomSaturation as RandomSaturation,
    Resize as Resize,
    Rotate as Rotate,
    ToTensor as ToTensor,
)
from gluonic.gluon.data.vision.transforms.colours import *
from gluonic.gluon.data.vision.transforms.composing import *
from gluonic.gluon.data.vision.transforms.conversion import *
from gluonic.gluon.data.vision.transforms.cropping import *
from gluonic.gluon.data.vision.transforms.turning import *
