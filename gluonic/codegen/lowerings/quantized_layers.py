"""Quantized layers."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_quantized_conv",
    "_contrib_quantized_fully_connected",
    python="BLAS multiplies small integers as float32, which is exact; NumPy finds the ranges",
)
lower("_contrib_quantized_pooling", decompose="tracing.quantized:pooling")
lower("_contrib_quantized_act", decompose="tracing.pointwise:elementwise")
lower("_contrib_quantized_flatten", decompose="tracing.quantized:flatten")
lower("_contrib_quantized_embedding", decompose="tracing.quantized:embedding")
lower("_contrib_quantized_batch_norm", decompose="tracing.pointwise:along_channels", eager=8)
