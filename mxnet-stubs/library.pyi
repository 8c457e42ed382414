"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.library import *
from gluonic.library import (
    compiled_with_gcc_cxx11_abi as compiled_with_gcc_cxx11_abi,
    load as load,
)
