"""``mx.gluon`` of MXNet 2.0: `forward` instead of `hybrid_forward`, parameters by their place in the net."""

from gluonic.mxnet2.gluon import nn
from gluonic.mxnet2.gluon.block import Block
from gluonic.mxnet2.gluon.hybrid import HybridBlock, SymbolBlock
from gluonic.mxnet2.gluon.parameter import Constant, DeferredInitializationError, Parameter
from gluonic.support.lazy_import import import_later

_MODULES = (
    "contrib", "data", "loss", "metric", "model_zoo", "probability", "rnn", "trainer", "utils",
)  # fmt: skip
__getattr__, __dir__ = import_later(
    __name__,
    {**{name: f"{__name__}.{name}" for name in _MODULES}, "Trainer": f"{__name__}.trainer:Trainer"},
)

__all__ = [
    "Block", "Constant", "DeferredInitializationError", "HybridBlock", "Parameter", "SymbolBlock", "Trainer",
    *_MODULES, "nn",
]  # fmt: skip
