"""The names and defaults of MXNet 2.0: ``import gluonic.mxnet2 as mx``.

What 2.0 has as 1.x has it is the same object. Where it is served as ``mxnet``, NumPy's semantics are switched
on, as MXNet 2.0 does when it is imported; otherwise call ``mx.npx.set_np()``.
"""

import importlib
from typing import Any

import gluonic as of_one
from gluonic.graph.dtypes import admit_integers_of_two
from gluonic.graph.errors import MissingNameError
from gluonic.mxnet2 import arrays, gluon, numpy, numpy_extension, util
from gluonic.mxnet2 import numpy as np
from gluonic.mxnet2 import numpy_extension as npx
from gluonic.mxnet2.util import (
    is_np_array,
    is_np_default_dtype,
    is_np_shape,
    np_array,
    np_default_dtype,
    np_shape,
    set_np_shape,
    use_np,
    use_np_array,
    use_np_default_dtype,
    use_np_shape,
)
from gluonic.mxnet_names.second import instead_of
from gluonic.ndarray.context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from gluonic.ndarray.context import Context as Device
from gluonic.ndarray.context import current_context as current_device

__version__ = "2.0.0"
admit_integers_of_two()

# Modules that many programs do not need are imported when first asked for.
_LATER = {
    **{
        name: name
        for name in (
            "amp", "attribute", "context", "device", "dlpack", "initializer", "name", "ndarray", "onnx",
            "operator", "optimizer", "random", "safetensors", "symbol", "test_utils",
        )
    },
    "init": "initializer", "nd": "ndarray", "sym": "symbol",
}  # fmt: skip


def begin_serving() -> None:
    """Do what importing MXNet 2.0 does: switch NumPy's semantics on, and let operands mix types."""
    util.set_np()
    arrays.mix_types()


def __getattr__(name: str) -> Any:
    if name in _LATER:
        found = importlib.import_module(f"{__name__}.{_LATER[name]}")
    elif (instead := instead_of(name)) is not None:
        raise MissingNameError(f"mx.{name} is not in MXNet 2.0: {instead}", name)
    else:
        found = getattr(of_one, name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *(n for n in dir(of_one) if instead_of(n) is None)})


__all__ = [
    "Context", "Device", "cpu", "cpu_pinned", "current_context", "current_device", "gluon", "gpu",
    "is_np_array", "is_np_default_dtype", "is_np_shape", "np", "np_array", "np_default_dtype", "np_shape",
    "npx",
    "num_gpus", "numpy", "numpy_extension", "set_np_shape", "use_np", "use_np_array", "use_np_default_dtype",
    "use_np_shape", "util",
]  # fmt: skip
