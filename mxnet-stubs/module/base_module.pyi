"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.module.base import *
from gluonic.module.interface import *
from gluonic.module.input_functions import *
