"""All operators with public names, as functions; `nd` has them too."""

from gluonic.graph.namespaces import Functions
from gluonic.ndarray.functions import make_function

_functions = Functions("op", globals(), make_function)
__getattr__ = _functions.find
__dir__ = _functions.names
