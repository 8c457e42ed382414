"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.contrib.tensorboard import *
from gluonic.contrib.tensorboard import (
    LogMetricsCallback as LogMetricsCallback,
)
