"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.gluon.nn.conv_layers import *
from gluonic.gluon.nn.conv_layers import (
    Conv1D as Conv1D,
    Conv1DTranspose as Conv1DTranspose,
    Conv2D as Conv2D,
    Conv2DTranspose as Conv2DTranspose,
    Conv3D as Conv3D,
    Conv3DTranspose as Conv3DTranspose,
)
from gluonic.gluon.nn.pool_layers import *
from gluonic.gluon.nn.pool_layers import (
    AvgPool1D as AvgPool1D,
    AvgPool2D as AvgPool2D,
    AvgPool3D as AvgPool3D,
    GlobalAvgPool1D as GlobalAvgPool1D,
    GlobalAvgPool2D as GlobalAvgPool2D,
    GlobalAvgPool3D as GlobalAvgPool3D,
    GlobalMaxPool1D as GlobalMaxPool1D,
    GlobalMaxPool2D as GlobalMaxPool2D,
    GlobalMaxPool3D as GlobalMaxPool3D,
    MaxPool1D as MaxPool1D,
    MaxPool2D as MaxPool2D,
    MaxPool3D as MaxPool3D,
    ReflectionPad2D as ReflectionPad2D,
)
