"""The room of layers and nets: `Block`, `HybridBlock`, parameters, layers, losses, training."""

from gluonic.gluon import contrib, data, loss, model_zoo, nn, rnn, utils
from gluonic.gluon.block import Block
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.parameter import Constant, DeferredInitializationError, Parameter
from gluonic.gluon.parameter_dict import ParameterDict
from gluonic.gluon.symbol_block import SymbolBlock
from gluonic.gluon.trainer import Trainer

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
    "utils",
]
