"""``mx.contrib``: contributed modules outside MXNet's core."""

from typing import TYPE_CHECKING

from gluonic.contrib import amp, autograd
from gluonic.ndarray import contrib as nd
from gluonic.ndarray import contrib as ndarray
from gluonic.support.lazy_import import import_later
from gluonic.symbol import contrib as sym
from gluonic.symbol import contrib as symbol

if TYPE_CHECKING:
    from gluonic.contrib import io, onnx, quantization, svrg_optimization, tensorboard, text
    from gluonic.contrib import quantization as quant

_MODULES = ("io", "onnx", "quantization", "svrg_optimization", "tensorboard", "text")
_LATER = {name: f"{__name__}.{name}" for name in _MODULES}
if not TYPE_CHECKING:  # a checker would believe that every name is there
    __getattr__, __dir__ = import_later(__name__, {**_LATER, "quant": f"{__name__}.quantization"})

__all__ = [
    "amp",
    "autograd",
    "io",
    "nd",
    "ndarray",
    "onnx",
    "quant",
    "quantization",
    "svrg_optimization",
    "sym",
    "symbol",
    "tensorboard",
    "text",
]
