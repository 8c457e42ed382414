"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.utils import *
from gluonic.gluon.utils import (
    clip_global_norm as clip_global_norm,
    split_and_load as split_and_load,
    split_data as split_data,
)
from gluonic.gluon.hooks import *
