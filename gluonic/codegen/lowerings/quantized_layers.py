"""Quantized layers."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_quantized_conv",
    "_contrib_quantized_fully_connected",
    python="BLAS multiplies small integers as float32, which is exact; NumPy finds the ranges",
)
lower(
    "_contrib_quantized_pooling",
    "_contrib_quantized_act",
    "_contrib_quantized_flatten",
    "_contrib_quantized_embedding",
    "_contrib_quantized_batch_norm",
    python="NumPy rounds to small integers; it has no lowering yet",
)
