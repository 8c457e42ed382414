"""Pooling of parts of regions that are moved."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_backward_DeformablePSROIPooling",
    python="NumPy adds at positions given by the data; it has no lowering yet",
)
