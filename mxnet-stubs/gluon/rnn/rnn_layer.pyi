"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.rnn.rnn_layer import *
from gluonic.gluon.rnn.rnn_layer import (
    GRU as GRU,
    LSTM as LSTM,
    RNN as RNN,
)
from gluonic.gluon.rnn.fused_layer import *
