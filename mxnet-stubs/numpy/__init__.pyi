"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.numpy import *
from gluonic.numpy import (
    genfromtxt as genfromtxt,
    in1d as in1d,
    msort as msort,
    set_printoptions as set_printoptions,
)
