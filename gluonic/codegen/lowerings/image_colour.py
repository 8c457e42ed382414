"""Colours of images."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_image_random_brightness",
    "_image_random_contrast",
    "_image_random_saturation",
    "_image_random_hue",
    "_image_random_color_jitter",
    "_image_random_lighting",
    "_image_random_flip_left_right",
    "_image_random_flip_top_bottom",
    python="images are changed at random, one by one, before nets read them",
)
