"""Operators that MXNet also has for sparse arrays: ``sym.sparse.dot``."""

from typing import TYPE_CHECKING

from gluonic.graph.namespaces import Functions
from gluonic.symbol.register import make_function

_functions = Functions("sparse", globals(), make_function)
if TYPE_CHECKING:
    from gluonic.symbol.typed.sparse import *
else:
    __getattr__ = _functions.find
__dir__ = _functions.names
