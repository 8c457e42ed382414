"""``mx.gluon.data`` of MXNet 2.0: 1.x's, with `batchify` and `IntervalSampler`."""

from gluonic.gluon import data as of_one
from gluonic.gluon.contrib.data.sampler import IntervalSampler
from gluonic.gluon.data.dataloader import *
from gluonic.gluon.data.dataset import *
from gluonic.gluon.data.sampler import *
from gluonic.mxnet2.gluon.data import batchify
from gluonic.support.lazy_import import import_later

_listed = [name for name in of_one.__all__ if name != "vision"]
__all__ = [*_listed, "IntervalSampler", "batchify"]
__getattr__, __dir__ = import_later(__name__, {"vision": f"{__name__}.vision"})
