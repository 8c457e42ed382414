"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.runtime import *
from gluonic.runtime import (
    Feature as Feature,
    Features as Features,
    feature_list as feature_list,
)
