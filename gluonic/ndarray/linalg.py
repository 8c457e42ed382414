"""``nd.linalg``: linear algebra."""

from typing import TYPE_CHECKING

from gluonic.graph.namespaces import Functions
from gluonic.ndarray.functions import make_function

_functions = Functions("linalg", globals(), make_function)
if TYPE_CHECKING:
    from gluonic.ndarray.typed.linalg import *
else:
    __getattr__ = _functions.find
__dir__ = _functions.names
