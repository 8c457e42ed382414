"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.ndarray.sparse import *
from gluonic.ndarray.storage.arrays import *
from gluonic.ndarray.storage.creation import *
