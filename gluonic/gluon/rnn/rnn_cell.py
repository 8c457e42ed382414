"""All recurrent cells, under the name of MXNet's module."""

from gluonic.gluon.rnn.base import HybridRecurrentCell, RecurrentCell
from gluonic.gluon.rnn.cells import GRUCell, LSTMCell, RNNCell
from gluonic.gluon.rnn.compound import (
    BidirectionalCell,
    DropoutCell,
    HybridSequentialRNNCell,
    ModifierCell,
    ResidualCell,
    SequentialRNNCell,
    ZoneoutCell,
)

__all__ = [
    "BidirectionalCell",
    "DropoutCell",
    "GRUCell",
    "HybridRecurrentCell",
    "HybridSequentialRNNCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RecurrentCell",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
]
