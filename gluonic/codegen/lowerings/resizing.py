"""Images of other sizes."""

from gluonic.codegen.lowerings.entry import LayoutRules, lower

lower(
    "_contrib_BilinearResize2D",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:bilinear"),
    python="of few channels alone NumPy resizes images; machine code does it in blocks of channels",
)
lower(
    "_contrib_AdaptiveAvgPooling2D",
    layout=LayoutRules("decides", blocked="rewriting.layout.resampling:average"),
    python="of few channels alone NumPy resizes images; machine code does it in blocks of channels",
)
