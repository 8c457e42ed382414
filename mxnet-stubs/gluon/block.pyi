"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.block import *
from gluonic.gluon.hybrid import *
from gluonic.gluon.symbol_block import *
from gluonic.gluon.naming import *
from gluonic.gluon.nesting import *
