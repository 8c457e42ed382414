"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.contrib.cnn import *
from gluonic.gluon.contrib.cnn import (
    DeformableConvolution as DeformableConvolution,
    ModulatedDeformableConvolution as ModulatedDeformableConvolution,
)
