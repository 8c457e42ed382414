"""Preparation of images."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_image_resize",
    "_cvimresize",
    python="OpenCV resizes images one by one, before nets read them",
)
