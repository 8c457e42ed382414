"""``mx.contrib``: what MXNet keeps beside the core."""

from typing import TYPE_CHECKING

from gluonic.contrib import amp, autograd
from gluonic.graph.later import import_later
from gluonic.ndarray import contrib as nd
from gluonic.ndarray import contrib as ndarray
from gluonic.symbol import contrib as sym
from gluonic.symbol import contrib as symbol

if TYPE_CHECKING:
    from gluonic.contrib import io, svrg_optimization, tensorboard, text

_MODULES = ("io", "svrg_optimization", "tensorboard", "text")
__getattr__, __dir__ = import_later(__name__, {name: f"{__name__}.{name}" for name in _MODULES})

__all__ = [
    "amp",
    "autograd",
    "io",
    "nd",
    "ndarray",
    "svrg_optimization",
    "sym",
    "symbol",
    "tensorboard",
    "text",
]
