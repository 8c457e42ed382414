"""Sorting, and counting by intervals."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "sort",
    "argsort",
    "topk",
    "_histogram",
    python="NumPy sorts",
)
