"""Correlation."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "Correlation",
    "_backward_Correlation",
    python="NumPy correlates all channels of a displacement at a time",
)
