"""Operators whose names begin with an underscore: ``sym._internal._plus_scalar``."""

from gluonic.graph.namespaces import Functions
from gluonic.symbol.register import make_function

_functions = Functions("_internal", globals(), make_function)
__getattr__ = _functions.find
__dir__ = _functions.names
