"""``mx.sym``: `Symbol`, the `sym` namespace of all operators, and name managers."""

from typing import TYPE_CHECKING, Any

from gluonic.graph.namespaces import Functions
from gluonic.symbol import (
    _internal,
    contrib,
    fluent,
    image,
    linalg,
    op,
    random,
    scopes,
    sparse,
    symbol,
)
from gluonic.symbol.executor import Executor
from gluonic.symbol.functions import (
    arange,
    eye,
    full,
    histogram,
    hypot,
    linspace,
    maximum,
    minimum,
    ones,
    pow,
    power,
    split_v2,
    zeros,
)
from gluonic.symbol.naming import NameManager, Prefix, current_names
from gluonic.symbol.register import make_function
from gluonic.symbol.scopes import AttrScope, block_path, block_scope
from gluonic.symbol.symbol import Group, Symbol
from gluonic.symbol.unsupported import NotImplementedForSymbol
from gluonic.symbol.variables import Variable, from_network, load, load_json, var

_functions = Functions(
    "op",
    globals(),
    make_function,
    {
        "np": "gluonic.symbol.numpy",
        "numpy": "gluonic.symbol.numpy",
        "npx": "gluonic.symbol.numpy_extension",
        "numpy_extension": "gluonic.symbol.numpy_extension",
    },
)
__dir__ = _functions.names
__all__: list[str] = [
    "AttrScope",
    "Executor",
    "Group",
    "NameManager",
    "NotImplementedForSymbol",
    "Prefix",
    "Symbol",
    "Variable",
    "_internal",
    "arange",
    "block_path",
    "block_scope",
    "contrib",
    "current_names",
    "eye",
    "fluent",
    "from_network",
    "full",
    "histogram",
    "hypot",
    "image",
    "linalg",
    "linspace",
    "load",
    "load_json",
    "maximum",
    "minimum",
    "ones",
    "op",
    "pow",
    "power",
    "random",
    "scopes",
    "sparse",
    "split_v2",
    "symbol",
    "var",
    "zeros",
]
if TYPE_CHECKING:
    from gluonic.symbol.typed import op as _op
    from gluonic.symbol.typed.op import *

    __all__ += ["np", "npx"]
    __all__.extend(_op.__all__)
    np: Any
    npx: Any
else:
    __all__ += [name for name in _functions.operators() if name not in __all__]
    __getattr__ = _functions.find
