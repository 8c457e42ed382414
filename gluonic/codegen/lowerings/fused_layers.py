"""Layers that MXNet fuses for oneDNN; those in float32 are replaced by their operators."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_sg_mkldnn_conv",
    decompose="tracing.fused_layers:convolution",
    on_devices="tracing.fused_layers:convolution_in_float",
    eager=16,
)
lower(
    "_sg_mkldnn_fully_connected",
    decompose="tracing.fused_layers:dense",
    on_devices="tracing.fused_layers:dense_in_float",
    eager=16,
)
