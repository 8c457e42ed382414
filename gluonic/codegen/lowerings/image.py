"""Preparation of images."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_image_to_tensor",
    "_image_normalize",
    "_image_crop",
    "_image_flip_left_right",
    "_image_flip_top_bottom",
    "_image_resize",
    "_cvimresize",
    "_cvcopyMakeBorder",
    "_backward_image_crop",
    python="NumPy and OpenCV prepare images one by one, before nets read them",
)
