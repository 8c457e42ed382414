"""Deformable convolution layers: the sampling positions are learnt."""

from gluonic.gluon.contrib.cnn import conv_layers
from gluonic.gluon.contrib.cnn.conv_layers import (
    DeformableConvolution,
    ModulatedDeformableConvolution,
)

__all__ = ["DeformableConvolution", "ModulatedDeformableConvolution", "conv_layers"]
