"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.rnn import *
from gluonic.gluon.rnn import (
    BidirectionalCell as BidirectionalCell,
    DropoutCell as DropoutCell,
    GRU as GRU,
    GRUCell as GRUCell,
    HybridRecurrentCell as HybridRecurrentCell,
    HybridSequentialRNNCell as HybridSequentialRNNCell,
    LSTM as LSTM,
    LSTMCell as LSTMCell,
    ModifierCell as ModifierCell,
    RNN as RNN,
    RNNCell as RNNCell,
    RecurrentCell as RecurrentCell,
    ResidualCell as ResidualCell,
    SequentialRNNCell as SequentialRNNCell,
    ZoneoutCell as ZoneoutCell,
)
