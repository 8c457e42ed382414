"""Layers that MXNet fuses for oneDNN; those in float32 are replaced by their operators."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_sg_mkldnn_conv",
    "_sg_mkldnn_fully_connected",
    python="BLAS multiplies small integers as float32, which is exact; NumPy rounds the sums",
)
