"""Windows as columns."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "im2col",
    "col2im",
    "_backward_im2col",
    python="Convolution unfolds images in machine code; alone NumPy does",
)
