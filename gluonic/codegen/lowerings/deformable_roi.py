"""Regions whose parts are moved."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_DeformablePSROIPooling",
    "_backward_DeformablePSROIPooling",
    python="regions have sizes that the data decide, and few nets read more than hundreds of them",
)
