"""Windows as columns."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "im2col",
    "col2im",
    "_backward_im2col",
    python="NumPy unfolds images on their own; Convolution does it in machine code",
)
