"""Quantization and its inverse."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_quantize",
    "_contrib_quantize_v2",
    "_contrib_quantize_asym",
    "_contrib_dequantize",
    "_contrib_requantize",
    python="NumPy rounds to small integers; it has no lowering yet",
)
