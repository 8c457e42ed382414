"""``mx.nd``: arrays, and all operators as functions that run on them eagerly."""

from typing import TYPE_CHECKING, Any

from gluonic.graph import ops as _ops
from gluonic.graph.namespaces import Functions as _Functions
from gluonic.ndarray import (
    _internal,
    contrib,
    copying,
    differentiate,
    fluent,
    image,
    indexing,
    linalg,
    op,
    random,
    shaping,
    sparse,
)
from gluonic.ndarray.arithmetic import functions as _arithmetic
from gluonic.ndarray.array import NDArray
from gluonic.ndarray.array_functions import (
    concatenate,
    histogram,
    imdecode,
    moveaxis,
    onehot_encode,
    split_v2,
    waitall,
)
from gluonic.ndarray.cached_call import CachedOp
from gluonic.ndarray.context import Context, cpu, cpu_pinned, current_context, gpu
from gluonic.ndarray.creation import arange, array, empty, eye, full, linspace, ones, zeros
from gluonic.ndarray.custom_eager import Custom
from gluonic.ndarray.functions import make_function as _make_function
from gluonic.ndarray.index_keys import (
    get_indexing_dispatch_code,
    get_oshape_of_gather_nd_op,
    indexing_key_expand_implicit_axes,
)
from gluonic.ndarray.interchange import (
    from_dlpack,
    from_numpy,
    to_dlpack_for_read,
    to_dlpack_for_write,
)
from gluonic.ndarray.serialization import load, load_frombuffer, save

globals().update(_arithmetic)

_functions = _Functions(
    "op",
    globals(),
    _make_function,
    {
        "np": "gluonic.ndarray.numpy",
        "numpy": "gluonic.ndarray.numpy",
        "npx": "gluonic.ndarray.numpy_extension",
        "numpy_extension": "gluonic.ndarray.numpy_extension",
    },
)
__dir__ = _functions.names

_: Any = (_ops, copying, differentiate, fluent, indexing, shaping)

if TYPE_CHECKING:
    from gluonic.ndarray.typed import op as _op
    from gluonic.ndarray.typed import package as _package
    from gluonic.ndarray.typed.op import *
    from gluonic.ndarray.typed.package import *

    __all__: list[str] = [
        "CachedOp",
        "Context",
        "Custom",
        "NDArray",
        "_internal",
        "arange",
        "array",
        "concatenate",
        "contrib",
        "cpu",
        "cpu_pinned",
        "current_context",
        "differentiate",
        "empty",
        "eye",
        "from_dlpack",
        "from_numpy",
        "full",
        "get_indexing_dispatch_code",
        "get_oshape_of_gather_nd_op",
        "gpu",
        "histogram",
        "image",
        "imdecode",
        "indexing_key_expand_implicit_axes",
        "linalg",
        "linspace",
        "load",
        "load_frombuffer",
        "moveaxis",
        "np",
        "npx",
        "onehot_encode",
        "ones",
        "op",
        "random",
        "save",
        "sparse",
        "split_v2",
        "to_dlpack_for_read",
        "to_dlpack_for_write",
        "waitall",
        "zeros",
    ]
    __all__.extend(_op.__all__)
    __all__.extend(_package.__all__)
    np: Any
    npx: Any
else:  # it makes `__all__`, too
    __getattr__ = _functions.find
