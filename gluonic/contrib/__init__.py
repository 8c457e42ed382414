"""``mx.contrib``: what MXNet keeps beside the core."""

from gluonic.contrib import autograd
from gluonic.ndarray import contrib as nd
from gluonic.ndarray import contrib as ndarray
from gluonic.symbol import contrib as sym
from gluonic.symbol import contrib as symbol

__all__ = ["autograd", "nd", "ndarray", "sym", "symbol"]
