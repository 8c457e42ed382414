"""Transposed convolution."""

from gluonic.codegen.lowerings.convolution import reads_neighbours
from gluonic.codegen.lowerings.entry import lower

lower("Deconvolution", eager=reads_neighbours, float16="upcast")
