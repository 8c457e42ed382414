"""``mx.gluon.utils`` of MXNet 2.0: that of 1.x."""

from gluonic.gluon import utils as of_one
from gluonic.gluon.utils import *

__all__ = [*of_one.__all__]
