"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.numpy.random import *
from gluonic.numpy.random import (
    seed as seed,
)
