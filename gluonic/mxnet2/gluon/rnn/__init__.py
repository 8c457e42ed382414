"""Recurrent cells and layers of MXNet 2.0: those of 1.x, with the cells that were in `gluon.contrib`."""

from typing import TYPE_CHECKING, Any

from gluonic.gluon import rnn
from gluonic.gluon.contrib import rnn as contributed
from gluonic.mxnet2.gluon.layers import members_of_two
from gluonic.mxnet2.gluon.rnn import cells, layers

_members = {**members_of_two(rnn, __name__), **members_of_two(contributed, __name__)}
_members |= {name: getattr(layers, name) for name in layers.__all__}
_members["GRUCell"] = cells.GRUCell
globals().update(_members)
__all__ = [*_members]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
