"""Correlation."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "Correlation",
    "_backward_Correlation",
    python="NumPy correlates one displacement at a time; it has no lowering yet",
)
