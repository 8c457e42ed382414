"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.image.augmenter import *
from gluonic.image.augmenter import (
    Augmenter as Augmenter,
    RandomOrderAug as RandomOrderAug,
    SequentialAug as SequentialAug,
)
from gluonic.image.colour_augmenters import *
from gluonic.image.colour_augmenters import (
    BrightnessJitterAug as BrightnessJitterAug,
    CastAug as CastAug,
    ColorJitterAug as ColorJitterAug,
    ColorNormalizeAug as ColorNormalizeAug,
    ContrastJitterAug as ContrastJitterAug,
    HueJitterAug as HueJitterAug,
    LightingAug as LightingAug,
    RandomGrayAug as RandomGrayAug,
    SaturationJitterAug as SaturationJitterAug,
    color_normalize as color_normalize,
)
from gluonic.image.cropping import *
from gluonic.image.cropping import (
    center_crop as center_crop,
    copyMakeBorder as copyMakeBorder,
    fixed_crop as fixed_crop,
    random_crop as random_crop,
    random_size_crop as random_size_crop,
)
from gluonic.image.interpolation import *
from gluonic.image.iterator import *
from gluonic.image.iterator import (
    ImageIter as ImageIter,
)
from gluonic.image.reading import *
from gluonic.image.reading import (
    imdecode as imdecode,
    imread as imread,
)
from gluonic.image.resizing import *
from gluonic.image.resizing import (
    imresize as imresize,
    resize_short as resize_short,
    scale_down as scale_down,
)
from gluonic.image.rotation import *
from gluonic.image.rotation import (
    imrotate as imrotate,
    random_rotate as random_rotate,
)
from gluonic.image.shape_augmenters import *
from gluonic.image.shape_augmenters import (
    CenterCropAug as CenterCropAug,
    ForceResizeAug as ForceResizeAug,
    HorizontalFlipAug as HorizontalFlipAug,
    RandomCropAug as RandomCropAug,
    RandomSizedCropAug as RandomSizedCropAug,
    ResizeAug as ResizeAug,
)
from gluonic.image.standard_augmenters import *
from gluonic.image.standard_augmenters import (
    CreateAugmenter as CreateAugmenter,
)
