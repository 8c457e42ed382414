"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.random import *
from gluonic.random import (
    seed as seed,
)
