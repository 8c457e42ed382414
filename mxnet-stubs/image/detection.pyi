"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.image.detection_augmenter import *
from gluonic.image.detection_augmenter import (
    DetAugmenter as DetAugmenter,
    DetBorrowAug as DetBorrowAug,
    DetHorizontalFlipAug as DetHorizontalFlipAug,
    DetRandomSelectAug as DetRandomSelectAug,
)
from gluonic.image.detection_iterator import *
from gluonic.image.detection_iterator import (
    ImageDetIter as ImageDetIter,
)
from gluonic.image.detection_windows import *
from gluonic.image.detection_windows import (
    DetRandomCropAug as DetRandomCropAug,
    DetRandomPadAug as DetRandomPadAug,
)
from gluonic.image.standard_detection import *
from gluonic.image.standard_detection import (
    CreateDetAugmenter as CreateDetAugmenter,
    CreateMultiRandCropAugmenter as CreateMultiRandCropAugmenter,
)
