"""Quantized layers."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_quantized_conv",
    decompose="tracing.quantized:convolution",
    on_devices="tracing.quantized:convolution_in_float",
    eager=16,
)
lower(
    "_contrib_quantized_fully_connected",
    decompose="tracing.quantized:dense",
    on_devices="tracing.quantized:dense_in_float",
    eager=16,
)
lower("_contrib_quantized_pooling", decompose="tracing.quantized:pooling", eager=2)
lower("_contrib_quantized_act", decompose="tracing.pointwise:elementwise", eager=1)
lower("_contrib_quantized_flatten", decompose="tracing.quantized:flatten")
lower("_contrib_quantized_embedding", decompose="tracing.quantized:embedding")
lower("_contrib_quantized_batch_norm", decompose="tracing.pointwise:along_channels", eager=8)
