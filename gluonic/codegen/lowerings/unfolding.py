"""Images unfolded to columns."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "im2col",
    "col2im",
    "_backward_im2col",
    python="NumPy copies rows of images; Convolution unfolds them in machine code",
)
