"""Arrays created from attributes alone, by NumPy's rules for shapes."""

from gluonic.codegen.lowerings.entry import lower

lower("_npi_full_like", loop="loops.semantics:filled_like")
