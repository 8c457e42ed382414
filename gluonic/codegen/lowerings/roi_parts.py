"""Parts of regions."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_PSROIPooling",
    "_contrib_RROIAlign",
    "_backward_contrib_PSROIPooling",
    python="the data determine the sizes of regions, and few nets have more than hundreds of regions",
)
