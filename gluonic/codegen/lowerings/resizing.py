"""Images of other sizes."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_contrib_BilinearResize2D",
    "_contrib_AdaptiveAvgPooling2D",
    python="of few channels alone NumPy resizes images; machine code does it in blocks of channels",
)
