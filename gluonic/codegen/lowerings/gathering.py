"""Gathering and scattering by several indices."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "gather_nd",
    "_backward_gather_nd",
    "scatter_nd",
    "_scatter_set_nd",
    "_contrib_index_copy",
    "_contrib_index_array",
    "_ravel_multi_index",
    "_unravel_index",
    "_backward_gather_nd_like",
    "_backward_contrib_boolean_mask",
    python="NumPy gathers by several indices in one call; it has no lowering yet",
)
lower(
    "_contrib_boolean_mask",
    python="the shape of its output depends on the data, so the interpreter runs the graph",
)
