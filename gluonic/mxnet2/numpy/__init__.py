"""``mx.np`` of MXNet 2.0: 1.x's functions, the names of the array API, ``device=`` for ``ctx=``."""

from typing import TYPE_CHECKING, Any

from gluonic import numpy as of_one
from gluonic.mxnet2.default_dtype import choosing
from gluonic.mxnet2.numpy import base, elements, shapes, types
from gluonic.mxnet2.numpy import linalg as linalg
from gluonic.mxnet2.numpy import random as random
from gluonic.mxnet2.numpy.elements import *
from gluonic.mxnet2.numpy.shapes import *
from gluonic.mxnet2.numpy.types import *
from gluonic.ndarray.numpy.array import ndarray as ndarray

_ALIASES = {
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan",
    "atan2": "arctan2", "atanh": "arctanh", "bitwise_invert": "invert", "concat": "concatenate",
    "permute_dims": "transpose", "pow": "power",
}  # fmt: skip
_changed = {*elements.__all__, *shapes.__all__, *types.__all__, "linalg", "random"}
_kept: dict[str, Any] = {
    name: base.functions.get(name) or getattr(of_one, name)
    for name in of_one.__all__
    if name not in _changed
}
_chosen = choosing({**_kept, "std": shapes.std, "tri": shapes.tri, "var": shapes.var})
_kept["genfromtxt"] = of_one.genfromtxt
globals().update({**_kept, **_chosen, **{new: _kept[old] for new, old in _ALIASES.items()}})

__all__ = sorted({*_kept, *_changed, *_ALIASES, "ndarray"})

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
