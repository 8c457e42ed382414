"""Operators whose names begin with an underscore, as functions."""

from gluonic.graph.namespaces import Functions
from gluonic.ndarray.decoding import _cvimdecode as _cvimdecode
from gluonic.ndarray.decoding import _cvimread as _cvimread
from gluonic.ndarray.functions import make_function

_functions = Functions("_internal", globals(), make_function)
__getattr__ = _functions.find
__dir__ = _functions.names
