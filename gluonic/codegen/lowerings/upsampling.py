"""Larger images."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "UpSampling",
    on_devices="rewriting.device_decompositions:enlarged",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:repetition"),
)
lower(
    "_backward_UpSampling",
    on_devices="rewriting.device_decompositions:enlarged_back",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:repetition_back"),
)
