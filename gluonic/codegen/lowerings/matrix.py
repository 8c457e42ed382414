"""Products of matrices."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "khatri_rao",
    python="NumPy multiplies the columns; no rule for machine code has been written",
)
