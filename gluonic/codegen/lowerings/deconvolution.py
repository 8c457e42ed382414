"""Transposed convolution."""

from gluonic.codegen.lowerings.convolution import reads_neighbours
from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "Deconvolution",
    layout=LayoutRules("decides", plain="rewriting.layout.transposed:forward"),
    eager=reads_neighbours,
    float16="upcast",
)
