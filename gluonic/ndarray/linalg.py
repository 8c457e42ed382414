"""``nd.linalg``: linear algebra."""

from gluonic.graph.namespaces import Functions
from gluonic.ndarray.functions import make_function

_functions = Functions("linalg", globals(), make_function)
__getattr__ = _functions.find
__dir__ = _functions.names
