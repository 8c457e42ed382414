"""``mx.gluon.data.vision`` of MXNet 2.0: data sets of images, and transforms of images."""

from gluonic.gluon.data.vision import datasets
from gluonic.gluon.data.vision.datasets import *
from gluonic.mxnet2.gluon.data.vision import transforms

__all__ = [*datasets.__all__, "transforms"]
