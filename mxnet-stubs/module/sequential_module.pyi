"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.module.sequential import *
