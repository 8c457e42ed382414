"""The functions of `mx.np` that MXNet 1.x has, too, as MXNet 2.0 has them."""

from gluonic import numpy as of_one
from gluonic.mxnet2.functions import of_two
from gluonic.symbol import numpy as of_symbols

functions = of_two(
    {name: getattr(of_one, name) for name in of_symbols.functions if hasattr(of_one, name)},
    of_symbols.functions,
    "gluonic.mxnet2.numpy",
)
globals().update(functions)
