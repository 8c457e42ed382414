"""Transposed convolution."""

from gluonic.codegen.lowerings.entry import lower

lower("Deconvolution", float16="upcast")
