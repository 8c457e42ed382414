"""``mx.np.random`` of MXNet 2.0: 1.x's samplers, with ``device=``, and two more distributions."""

from typing import TYPE_CHECKING, Any

import numpy

from gluonic.mxnet2.default_dtype import sampling
from gluonic.mxnet2.functions import of_two
from gluonic.mxnet2.numpy import base
from gluonic.mxnet2.numpy.results import written
from gluonic.numpy import random as of_one
from gluonic.symbol.numpy.random import functions as of_symbols

_names = of_one.__all__
_f = sampling(
    of_two({name: getattr(of_one, name) for name in _names}, of_symbols, __name__),
    "choice", "multinomial", "permutation", "randint", "seed", "shuffle",
)  # fmt: skip
_np = base.functions
globals().update(_f)
__all__ = [*_names, "f", "laplace"]


def power(a: Any, size: Any = None, device: Any = None, out: Any = None) -> Any:
    """Return samples of the distribution of powers, with density ``a * x ** (a - 1)`` between 0 and 1.

    Parameters
    ----------
    a : a positive number, or an array of them
    size : the shape of what is drawn
    device : where it is made
    out : the array that receives the result
    """
    return written(_f["power"](a, size, device=device), out)


def f(dfnum: Any, dfden: Any, size: Any = None, device: Any = None) -> Any:
    """Return samples of the F distribution.

    Parameters
    ----------
    dfnum, dfden : the degrees of freedom of numerator and denominator, numbers or arrays
    size : the shape of what is drawn
    device : where it is made
    """
    first = _np["divide"](_f["chisquare"](dfnum, size, device=device), dfnum)
    return _np["divide"](first, _np["divide"](_f["chisquare"](dfden, size, device=device), dfden))


def laplace(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
    out: Any = None,
) -> Any:
    """Return samples of the Laplace distribution.

    Parameters
    ----------
    loc, scale : the mean, and the mean distance from it; numbers or arrays
    size : the shape of what is drawn
    dtype : its dtype, default float32
    device : where it is made
    out : the array that receives the result
    """
    drawn = size
    if drawn is None:
        shapes = [getattr(x, "shape", ()) for x in (loc, scale)]
        drawn = numpy.broadcast_shapes(*shapes)
    sample = _f["uniform"](-0.5, 0.5, drawn, dtype=dtype, device=device)
    logarithm = _np["log1p"](_np["multiply"](_np["abs"](sample), -2.0))
    found = loc - scale * _np["sign"](sample) * logarithm
    return written(found, out)


if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
