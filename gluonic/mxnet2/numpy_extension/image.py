"""``mx.npx.image`` of MXNet 2.0."""

from typing import TYPE_CHECKING, Any

from gluonic.image import *
from gluonic.mxnet2.functions import of_two
from gluonic.numpy_extension import image as of_one
from gluonic.symbol.numpy_extension.image import functions as of_symbols

globals().update(of_two({n: getattr(of_one, n) for n in of_symbols}, of_symbols, __name__))

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
