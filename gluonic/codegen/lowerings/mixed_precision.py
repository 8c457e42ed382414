"""Casts of mixed precision."""

from gluonic.codegen.lowerings.entry import lower

lower("amp_cast", selects=True)
