"""Quantization and its inverse."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_quantize",
    "_contrib_quantize_v2",
    "_contrib_quantize_asym",
    "_contrib_requantize",
    decompose="tracing.pointwise:elementwise",
    eager=4,
)
lower("_contrib_dequantize", decompose="tracing.pointwise:elementwise", eager=1)
