"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.symbol.symbol import *
from gluonic.symbol.symbol import (
    Group as Group,
    Symbol as Symbol,
)
from gluonic.symbol.functions import *
from gluonic.symbol.variables import *
