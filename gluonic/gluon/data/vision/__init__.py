"""Data sets of images, and transforms of images."""

from gluonic.gluon.data.vision import datasets, transforms
from gluonic.gluon.data.vision.datasets import *

__all__ = ["transforms"]
__all__ += datasets.__all__
