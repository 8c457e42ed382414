"""All operators with public names, as functions; `nd` has them too."""

from typing import TYPE_CHECKING

from gluonic.graph.namespaces import Functions
from gluonic.ndarray.functions import make_function

_functions = Functions("op", globals(), make_function)
if TYPE_CHECKING:
    from gluonic.ndarray.typed.op import *
else:
    __getattr__ = _functions.find
__dir__ = _functions.names
