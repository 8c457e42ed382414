"""Hawkes processes."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_hawkesll",
    "_backward_hawkesll",
    python="each event depends on the one before; NumPy loops over them, for all sequences at once",
)
