"""Products of attention that MXNet fuses for oneDNN; those in float32 are replaced by their operators."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_sg_mkldnn_selfatt_qk",
    "_sg_mkldnn_selfatt_valatt",
    python="BLAS multiplies small integers as float64, which is exact; NumPy rounds the sums",
)
