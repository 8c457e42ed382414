"""Preparation of images."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_image_resize",
    "_cvimresize",
    python="OpenCV resizes images one by one, before nets read them",
)
lower(
    "_image_flip_left_right",
    "_image_flip_top_bottom",
    python="NumPy copies rows of an image, before nets read them",
)
