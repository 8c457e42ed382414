"""Deformable convolution."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_DeformableConvolution",
    "_contrib_ModulatedDeformableConvolution",
    "_backward_DeformableConvolution",
    python="NumPy samples images at positions given by the data, and BLAS multiplies",
)
