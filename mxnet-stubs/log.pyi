"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.log import *
from gluonic.log import (
    getLogger as getLogger,
    get_logger as get_logger,
)
