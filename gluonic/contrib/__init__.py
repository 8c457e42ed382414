"""``mx.contrib``: what MXNet keeps beside the core."""

from gluonic.contrib import amp, autograd
from gluonic.ndarray import contrib as nd
from gluonic.ndarray import contrib as ndarray
from gluonic.symbol import contrib as sym
from gluonic.symbol import contrib as symbol

__all__ = ["amp", "autograd", "nd", "ndarray", "sym", "symbol"]
