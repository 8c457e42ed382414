"""Casts of mixed precision."""

from gluonic.codegen.lowerings.entry import lower

lower("amp_cast", selects=True)
lower(
    "amp_multicast",
    python="NumPy casts arrays of several dtypes; amp_cast has machine code",
)
