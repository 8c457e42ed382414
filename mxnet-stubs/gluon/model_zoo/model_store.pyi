"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.model_zoo.model_store import *
from gluonic.gluon.model_zoo.model_store import (
    get_model_file as get_model_file,
    purge as purge,
)
