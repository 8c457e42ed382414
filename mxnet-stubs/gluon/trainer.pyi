"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.trainer import *
from gluonic.gluon.trainer import (
    Trainer as Trainer,
)
