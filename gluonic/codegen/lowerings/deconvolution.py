"""Transposed convolution."""

from gluonic.codegen.lowerings.convolution import windowed_work
from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "Deconvolution",
    layout=LayoutRules("decides", plain="rewriting.layout.transposed:forward"),
    eager=windowed_work,
    float16="upcast",
)
