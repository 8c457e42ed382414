"""Losses of MXNet 2.0: those of 1.x."""

from gluonic.gluon import loss
from gluonic.mxnet2.gluon.layers import members_of_two

_members = members_of_two(loss, __name__)
globals().update(_members)
__all__ = [*_members]
