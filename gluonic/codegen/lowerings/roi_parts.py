"""Parts of regions."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_PSROIPooling",
    "_contrib_RROIAlign",
    "_backward_contrib_PSROIPooling",
    python="regions have sizes that the data decide, and few nets read more than hundreds of them",
)
