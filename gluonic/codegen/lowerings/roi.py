"""Regions of images."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "ROIPooling",
    "_contrib_ROIAlign",
    "_backward_contrib_ROIAlign",
    python="regions have sizes that the data decide, and few nets read more than hundreds of them",
)
lower(
    "_take_flat",
    "_backward_take_flat",
    python="NumPy finds elements by several indices in one call; no rule for machine code has been written",
)
