"""Operators on images: ``sym.image.to_tensor``."""

from typing import TYPE_CHECKING

from gluonic.graph.namespaces import Functions
from gluonic.symbol.register import make_function

_functions = Functions("image", globals(), make_function)
if TYPE_CHECKING:
    from gluonic.symbol.typed.image import *
else:
    __getattr__ = _functions.find
__dir__ = _functions.names
