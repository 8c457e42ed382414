"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.engine import *
from gluonic.engine import (
    bulk as bulk,
    set_bulk_size as set_bulk_size,
)
