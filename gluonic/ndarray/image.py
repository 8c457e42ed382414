"""``nd.image``: operators on images."""

from typing import TYPE_CHECKING

from gluonic.graph.namespaces import Functions
from gluonic.ndarray.functions import make_function

_functions = Functions("image", globals(), make_function)
if TYPE_CHECKING:
    from gluonic.ndarray.typed.image import *
else:
    __getattr__ = _functions.find
__dir__ = _functions.names
