"""Standardization."""

from gluonic.codegen.lowerings.entry import lower

lower("_cast_as", loop="loops.semantics:cast_as")
