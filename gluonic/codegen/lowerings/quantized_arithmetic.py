"""Quantized arithmetic."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_quantized_elemwise_add",
    "_contrib_quantized_elemwise_mul",
    "_contrib_quantized_concat",
    decompose="tracing.pointwise:elementwise",
    eager=4,
)
