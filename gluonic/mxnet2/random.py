"""``mx.random`` of MXNet 2.0: that of 1.x, with ``device=``."""

from gluonic import random as of_one
from gluonic.mxnet2.fallback import all_of, of_module
from gluonic.mxnet2.functions import with_device

seed = with_device(of_one.seed)

__getattr__, __dir__ = of_module(of_one, globals())
__all__ = all_of(of_one)
