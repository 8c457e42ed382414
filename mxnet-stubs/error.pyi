"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.error import *
from gluonic.error import (
    InternalError as InternalError,
)
