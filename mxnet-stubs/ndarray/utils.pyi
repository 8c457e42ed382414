"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.ndarray.creation import *
from gluonic.ndarray.serialization import *
