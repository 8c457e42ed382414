"""Operators with public names: ``sym.op.X`` is ``sym.X``."""

from typing import TYPE_CHECKING

from gluonic.graph.namespaces import Functions
from gluonic.symbol.register import make_function

_functions = Functions("op", globals(), make_function)
if TYPE_CHECKING:
    from gluonic.symbol.typed.op import *
else:
    __getattr__ = _functions.find
__dir__ = _functions.names
