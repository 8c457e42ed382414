"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.libinfo import *
from gluonic.libinfo import (
    find_include_path as find_include_path,
    find_lib_path as find_lib_path,
)
