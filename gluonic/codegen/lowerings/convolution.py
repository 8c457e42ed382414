"""Convolution."""

from gluonic.codegen.lowerings.entry import lower

lower("Convolution", step="convolution.as_matmul:ConvolutionProductStep.of", float16="upcast")
