"""Pooling of deformable regions."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_DeformablePSROIPooling",
    "_backward_DeformablePSROIPooling",
    python="the data determine the sizes of regions, and few nets have more than hundreds of regions",
)
