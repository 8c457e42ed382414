"""Windows as columns."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "im2col",
    "col2im",
    python="Convolution unfolds images in machine code; alone NumPy does",
)
