"""Boxes."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_bipartite_matching",
    python="NumPy sorts the scores",
)
