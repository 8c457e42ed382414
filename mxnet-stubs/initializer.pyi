"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.initializer import *
from gluonic.initializer import (
    Bilinear as Bilinear,
    Constant as Constant,
    FusedRNN as FusedRNN,
    InitDesc as InitDesc,
    Initializer as Initializer,
    LSTMBias as LSTMBias,
    Load as Load,
    MSRAPrelu as MSRAPrelu,
    Mixed as Mixed,
    Normal as Normal,
    One as One,
    Orthogonal as Orthogonal,
    Uniform as Uniform,
    Xavier as Xavier,
    Zero as Zero,
    create as create,
)
from gluonic.initializer.base import *
from gluonic.initializer.choose import *
from gluonic.initializer.fill import *
from gluonic.initializer.fused_rnn import *
