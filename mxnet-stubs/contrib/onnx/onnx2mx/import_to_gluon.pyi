"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.contrib.onnx import *
from gluonic.contrib.onnx import (
    import_to_gluon as import_to_gluon,
)
