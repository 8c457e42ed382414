"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.contrib.data import *
from gluonic.gluon.contrib.data import (
    IntervalSampler as IntervalSampler,
)
