"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.ndarray.array import *
from gluonic.ndarray.arithmetic import *
from gluonic.ndarray.array_functions import *
from gluonic.ndarray.creation import *
from gluonic.ndarray.dlpack_structures import *
from gluonic.ndarray.index_keys import *
from gluonic.ndarray.interchange import *
from gluonic.ndarray.numbering import *
