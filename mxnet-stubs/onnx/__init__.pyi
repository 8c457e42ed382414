"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.onnx import *
from gluonic.onnx import (
    export_model as export_model,
    get_operator_support as get_operator_support,
)
