"""Gathering and scattering by several indices."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_boolean_mask",
    python="the shape of its output depends on the data, so the interpreter runs the graph",
)
