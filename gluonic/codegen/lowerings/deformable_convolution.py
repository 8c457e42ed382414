"""Convolutions whose filters are deformed."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_DeformableConvolution",
    "_contrib_ModulatedDeformableConvolution",
    "_backward_DeformableConvolution",
    python="NumPy samples images at the places that the data say, and BLAS multiplies",
)
