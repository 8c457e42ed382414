"""Operators whose names begin with an underscore: ``sym._internal._plus_scalar``."""

from gluonic.graph.namespaces import Functions
from gluonic.symbol.register import make_function
from gluonic.symbol.subgraph_call import call_subgraph as _CachedOp  # noqa: F401

_functions = Functions("_internal", globals(), make_function)
__getattr__ = _functions.find
__dir__ = _functions.names
