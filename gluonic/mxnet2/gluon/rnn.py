"""Recurrent cells and layers of MXNet 2.0: those of 1.x, with the cells that were in `gluon.contrib`."""

from gluonic.gluon import rnn
from gluonic.gluon.contrib import rnn as contributed
from gluonic.mxnet2.gluon.layers import members_of_two

_members = {**members_of_two(rnn, __name__), **members_of_two(contributed, __name__)}
globals().update(_members)
__all__ = [*_members]
