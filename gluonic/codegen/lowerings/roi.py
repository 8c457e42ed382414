"""Regions of images."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "ROIPooling",
    "_contrib_ROIAlign",
    "_backward_contrib_ROIAlign",
    python="the data determine the sizes of regions, and few nets have more than hundreds of regions",
)
lower(
    "_take_flat",
    "_backward_take_flat",
    python="NumPy gathers by several indices in one call; it has no lowering yet",
)
