"""Resized images."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "_contrib_BilinearResize2D",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:bilinear"),
)
lower(
    "_contrib_AdaptiveAvgPooling2D",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:average"),
)
