"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.rnn.base import *
from gluonic.rnn.cells import *
from gluonic.rnn.compound import *
from gluonic.rnn.compound import (
    BidirectionalCell as BidirectionalCell,
    SequentialRNNCell as SequentialRNNCell,
)
from gluonic.rnn.convolutional import *
from gluonic.rnn.fused import *
from gluonic.rnn.modifiers import *
from gluonic.rnn.modifiers import (
    DropoutCell as DropoutCell,
    ModifierCell as ModifierCell,
    ResidualCell as ResidualCell,
    ZoneoutCell as ZoneoutCell,
)
