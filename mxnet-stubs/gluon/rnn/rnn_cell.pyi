"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.rnn.rnn_cell import *
from gluonic.gluon.rnn.base import *
from gluonic.gluon.rnn.cells import *
from gluonic.gluon.rnn.compound import *
from gluonic.gluon.rnn.sequence_functions import *
