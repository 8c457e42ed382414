"""Linear algebra: ``sym.linalg.gemm2``."""

from gluonic.graph.namespaces import Functions
from gluonic.symbol.register import make_function

_functions = Functions("linalg", globals(), make_function)
__getattr__ = _functions.find
__dir__ = _functions.names
