"""Sorted elements."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "sort",
    "argsort",
    "topk",
    python="NumPy sorts",
)
lower(
    "_take_along_axis",
    "_backward_take_along_axis",
    python="NumPy gathers by several indices in one call; it has no lowering yet",
)
lower(
    "_histogram",
    python="NumPy counts",
)
