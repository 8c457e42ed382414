"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.contrib.rnn import *
from gluonic.gluon.contrib.rnn import (
    Conv1DGRUCell as Conv1DGRUCell,
    Conv1DLSTMCell as Conv1DLSTMCell,
    Conv1DRNNCell as Conv1DRNNCell,
    Conv2DGRUCell as Conv2DGRUCell,
    Conv2DLSTMCell as Conv2DLSTMCell,
    Conv2DRNNCell as Conv2DRNNCell,
    Conv3DGRUCell as Conv3DGRUCell,
    Conv3DLSTMCell as Conv3DLSTMCell,
    Conv3DRNNCell as Conv3DRNNCell,
    LSTMPCell as LSTMPCell,
    VariationalDropoutCell as VariationalDropoutCell,
    dynamic_unroll as dynamic_unroll,
)
