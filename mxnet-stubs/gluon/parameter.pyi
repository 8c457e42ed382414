"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.parameter import *
from gluonic.gluon.parameter import (
    DeferredInitializationError as DeferredInitializationError,
    Parameter as Parameter,
    shape_is_known as shape_is_known,
)
from gluonic.gluon.parameter_dict import *
from gluonic.gluon.constant import *
from gluonic.gluon.parameter_errors import *
