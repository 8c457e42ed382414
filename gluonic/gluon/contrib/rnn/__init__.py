"""Contributed recurrent cells."""

from gluonic.gluon.contrib.rnn import conv_rnn_cell, rnn_cell
from gluonic.gluon.contrib.rnn.conv_rnn_cell import *
from gluonic.gluon.contrib.rnn.rnn_cell import *

__all__: list[str] = []
__all__ += conv_rnn_cell.__all__
__all__ += rnn_cell.__all__
