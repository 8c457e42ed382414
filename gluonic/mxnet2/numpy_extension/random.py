"""``mx.npx.random`` of MXNet 2.0."""

from typing import TYPE_CHECKING, Any

from gluonic.mxnet2.functions import of_two, with_device
from gluonic.numpy_extension import random as of_one
from gluonic.symbol.numpy_extension.random import functions as of_symbols

_names = of_one.__all__
globals().update(of_two({name: getattr(of_one, name) for name in _names}, of_symbols, __name__))
seed = with_device(of_one.seed)
__all__ = [*_names]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
