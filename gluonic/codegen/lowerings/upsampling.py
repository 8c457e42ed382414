"""Larger images."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "UpSampling",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:repetition"),
    python="NumPy resizes images on their own; machine code needs blocks of channels",
)
lower(
    "_backward_UpSampling",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:repetition_back"),
    python="NumPy resizes images on their own; machine code needs blocks of channels",
)
