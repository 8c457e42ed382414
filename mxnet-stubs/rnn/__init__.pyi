"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.rnn import *
from gluonic.rnn import (
    BaseConvRNNCell as BaseConvRNNCell,
    BaseRNNCell as BaseRNNCell,
    BidirectionalCell as BidirectionalCell,
    BucketSentenceIter as BucketSentenceIter,
    ConvGRUCell as ConvGRUCell,
    ConvLSTMCell as ConvLSTMCell,
    ConvRNNCell as ConvRNNCell,
    DropoutCell as DropoutCell,
    FusedRNNCell as FusedRNNCell,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    ModifierCell as ModifierCell,
    RNNCell as RNNCell,
    RNNParams as RNNParams,
    ResidualCell as ResidualCell,
    SequentialRNNCell as SequentialRNNCell,
    ZoneoutCell as ZoneoutCell,
    do_rnn_checkpoint as do_rnn_checkpoint,
    encode_sentences as encode_sentences,
    load_rnn_checkpoint as load_rnn_checkpoint,
    rnn_unroll as rnn_unroll,
    save_rnn_checkpoint as save_rnn_checkpoint,
)
