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
    python="NumPy finds elements by several indices in one call; no rule for machine code has been written",
)
lower(
    "_histogram",
    python="NumPy counts",
)
