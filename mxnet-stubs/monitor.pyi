"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.monitor import *
from gluonic.monitor import (
    Monitor as Monitor,
)
