"""Contributed operators: ``sym.contrib.box_iou``."""

from gluonic.graph.calling import Functions
from gluonic.symbol.register import make_function

_functions = Functions("contrib", globals(), make_function)
__getattr__ = _functions.find
__dir__ = _functions.names
