"""Recurrent cells and layers."""

from gluonic.gluon.rnn import rnn_cell, rnn_layer
from gluonic.gluon.rnn.rnn_cell import *
from gluonic.gluon.rnn.rnn_layer import *

__all__: list[str] = []
__all__ += rnn_cell.__all__
__all__ += rnn_layer.__all__
