"""``nd.image``: operators on images."""

from gluonic.graph.namespaces import Functions
from gluonic.ndarray.functions import make_function

_functions = Functions("image", globals(), make_function)
__getattr__ = _functions.find
__dir__ = _functions.names
