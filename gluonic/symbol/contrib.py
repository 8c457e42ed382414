"""Contributed operators, loops and branches: ``sym.contrib.box_iou``, ``sym.contrib.foreach``."""

from gluonic.graph.calling import Functions
from gluonic.symbol.control_flow import cond, foreach, while_loop
from gluonic.symbol.register import make_function

_functions = Functions("contrib", globals(), make_function)
__getattr__ = _functions.find
__dir__ = _functions.names
__all__ = ["cond", "foreach", "while_loop"]
