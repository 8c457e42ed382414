"""``mx.gluon``, layers and nets: `Block`, `HybridBlock`, parameters, layers, losses, training."""

from typing import TYPE_CHECKING

from gluonic.gluon import loss, nn
from gluonic.gluon.block import Block
from gluonic.gluon.constant import Constant
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.parameter import DeferredInitializationError, Parameter
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.gluon.symbol_block import SymbolBlock
from gluonic.support.lazy_import import import_later

if TYPE_CHECKING:
    from gluonic.gluon import contrib, data, model_zoo, rnn, trainer, utils
    from gluonic.gluon.trainer import Trainer

_MODULES = ("contrib", "data", "model_zoo", "rnn", "trainer", "utils")
if not TYPE_CHECKING:  # a checker would believe that every name is there
    __getattr__, __dir__ = import_later(
        __name__,
        {
            **{name: f"{__name__}.{name}" for name in _MODULES},
            "Trainer": f"{__name__}.trainer:Trainer",
        },
    )

__all__ = [
    "Block",
    "Constant",
    "DeferredInitializationError",
    "HybridBlock",
    "Parameter",
    "ParameterDict",
    "SymbolBlock",
    "Trainer",
    "contrib",
    "data",
    "loss",
    "model_zoo",
    "nn",
    "rnn",
    "trainer",
    "utils",
]
