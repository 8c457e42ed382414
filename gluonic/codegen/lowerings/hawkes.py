"""Hawkes processes."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_hawkesll",
    "_backward_hawkesll",
    python="each event waits for the one before; NumPy steps through them for all sequences at once",
)
