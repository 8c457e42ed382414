"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.nn.activations import *
from gluonic.gluon.nn.activations import (
    Activation as Activation,
    ELU as ELU,
    GELU as GELU,
    LeakyReLU as LeakyReLU,
    PReLU as PReLU,
    SELU as SELU,
    Swish as Swish,
)
