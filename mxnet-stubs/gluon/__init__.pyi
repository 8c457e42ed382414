"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon import *
from gluonic.gluon import (
    Block as Block,
    Constant as Constant,
    DeferredInitializationError as DeferredInitializationError,
    HybridBlock as HybridBlock,
    Parameter as Parameter,
    ParameterDict as ParameterDict,
    SymbolBlock as SymbolBlock,
    Trainer as Trainer,
)
