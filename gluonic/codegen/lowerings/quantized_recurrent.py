"""Quantized recurrent networks."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_quantized_rnn",
    python="BLAS multiplies small integers as float32, which is exact; NumPy finds the ranges",
)
