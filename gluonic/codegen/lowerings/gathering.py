"""Gathering and scattering by several indices."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "gather_nd",
    "_backward_gather_nd",
    "scatter_nd",
    "_scatter_set_nd",
    "_contrib_index_copy",
    "_backward_gather_nd_like",
    python="NumPy refuses indices out of range",
)
lower(
    "_backward_contrib_boolean_mask",
    python="NumPy counts the elements of the mask",
)
lower(
    "_contrib_boolean_mask",
    python="the shape of its output depends on the data, so the interpreter runs the graph",
)
