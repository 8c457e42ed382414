"""``mx.npx.image``: operators on images, and functions of `mx.image`."""

from gluonic.image import *
from gluonic.ndarray.numpy_extension.image import functions

globals().update(functions)
