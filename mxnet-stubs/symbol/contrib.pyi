"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.symbol.contrib import *
from gluonic.symbol.contrib import (
    rand_zipfian as rand_zipfian,
)
