"""Pooling as in MXNet's first version."""

from gluonic.codegen.lowerings.entry import lower

lower("Pooling_v1", python="NumPy pools as MXNet's first version did; Pooling has machine code")
