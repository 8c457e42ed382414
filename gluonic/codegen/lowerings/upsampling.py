"""Larger images."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "UpSampling",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:repetition"),
    python="of few channels alone NumPy resizes images; machine code does it in blocks of channels",
)
lower(
    "_backward_UpSampling",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:repetition_back"),
    python="of few channels alone NumPy resizes images; machine code does it in blocks of channels",
)
