"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.ndarray.image import *
from gluonic.ndarray.image import (
    adjust_lighting as adjust_lighting,
    crop as crop,
    flip_left_right as flip_left_right,
    flip_top_bottom as flip_top_bottom,
    normalize as normalize,
    random_brightness as random_brightness,
    random_color_jitter as random_color_jitter,
    random_contrast as random_contrast,
    random_flip_left_right as random_flip_left_right,
    random_flip_top_bottom as random_flip_top_bottom,
    random_hue as random_hue,
    random_lighting as random_lighting,
    random_saturation as random_saturation,
    resize as resize,
    to_tensor as to_tensor,
)
