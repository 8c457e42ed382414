"""``mx.rnn``: symbolic recurrent cells, MXNet's interface before Gluon, and bucketed sentences."""

from gluonic.rnn import io
from gluonic.rnn.base import BaseRNNCell, RNNParams
from gluonic.rnn.cells import GRUCell, LSTMCell, RNNCell
from gluonic.rnn.checkpoints import (
    do_rnn_checkpoint,
    load_rnn_checkpoint,
    rnn_unroll,
    save_rnn_checkpoint,
)
from gluonic.rnn.compound import BidirectionalCell, SequentialRNNCell
from gluonic.rnn.convolutional import BaseConvRNNCell, ConvGRUCell, ConvLSTMCell, ConvRNNCell
from gluonic.rnn.fused import FusedRNNCell
from gluonic.rnn.io import BucketSentenceIter, encode_sentences
from gluonic.rnn.modifiers import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell

__all__ = [
    "BaseConvRNNCell",
    "BaseRNNCell",
    "BidirectionalCell",
    "BucketSentenceIter",
    "ConvGRUCell",
    "ConvLSTMCell",
    "ConvRNNCell",
    "DropoutCell",
    "FusedRNNCell",
    "GRUCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RNNParams",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
    "do_rnn_checkpoint",
    "encode_sentences",
    "io",
    "load_rnn_checkpoint",
    "rnn_unroll",
    "save_rnn_checkpoint",
]
