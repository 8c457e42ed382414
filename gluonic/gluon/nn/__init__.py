"""Neural network layers, and the blocks they are made of."""

from typing import TYPE_CHECKING, Any

from gluonic.gluon.block import Block
from gluonic.gluon.hybrid import HybridBlock
from gluonic.gluon.nn import activations, basic_layers, conv_layers
from gluonic.gluon.nn.activations import *
from gluonic.gluon.nn.basic_layers import *
from gluonic.gluon.nn.conv_layers import *
from gluonic.gluon.nn.missing import refuse
from gluonic.gluon.symbol_block import SymbolBlock

__all__ = ["Block", "HybridBlock", "SymbolBlock"]
__all__ += activations.__all__
__all__ += basic_layers.__all__
__all__ += conv_layers.__all__


if not TYPE_CHECKING:  # a checker would believe that every name is there

    def __getattr__(name: str) -> Any:
        return refuse(__name__, name, __all__)
