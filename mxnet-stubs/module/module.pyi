"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.module.module import *
from gluonic.module.module import (
    Module as Module,
)
from gluonic.module.optimizing import *
from gluonic.module.parameters import *
