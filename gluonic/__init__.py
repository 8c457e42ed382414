"""The MXNet 1.x API as a compact symbolic graph compiler: ``import gluonic as mx``."""

import os
from typing import TYPE_CHECKING

from gluonic import (  # noqa: F401 (operator_notes adds to help texts)
    autograd,
    base,
    gluon,
    initializer,
    ndarray,
    operator,
    operator_notes,
    random,
    symbol,
)
from gluonic import initializer as init
from gluonic import ndarray as nd
from gluonic import random as rnd
from gluonic import symbol as sym
from gluonic._version import __version__
from gluonic.alias import install_as_mxnet
from gluonic.base import MXNetError
from gluonic.graph.threads import limit_blas
from gluonic.graph.tracebacks import shorten_uncaught
from gluonic.mxnet_names import hook
from gluonic.ndarray.context import Context, cpu, cpu_pinned, current_context, gpu, num_gpus
from gluonic.support.freed_memory import keep_freed_memory
from gluonic.support.lazy_import import import_later
from gluonic.symbol.naming import NameManager
from gluonic.symbol.scopes import AttrScope
from gluonic.util import (
    is_np_array,
    is_np_shape,
    np_array,
    np_shape,
    set_np_shape,
    use_np,
    use_np_array,
    use_np_shape,
)

limit_blas()
keep_freed_memory()
shorten_uncaught()
if os.environ.get("GLUONIC_PROFILE") or os.environ.get("MXNET_PROFILER_AUTOSTART"):
    from gluonic import profiler

    profiler.start_if_asked()

# Modules that many programs do not need are imported when first asked for; a value is the real name.
_LATER = {
    "callback": "callback",
    "contrib": "contrib",
    "engine": "engine",
    "kv": "kvstore",
    "kvstore": "kvstore",
    "libinfo": "libinfo",
    "library": "library",
    "lr_scheduler": "lr_scheduler",
    "metric": "metric",
    "minpy": "minpy",
    "img": "image",
    "error": "error",
    "image": "image",
    "io": "io",
    "log": "log",
    "mod": "module",
    "model": "model",
    "module": "module",
    "executor_manager": "executor_manager",
    "mon": "monitor",
    "monitor": "monitor",
    "np": "numpy",
    "np_symbol": "symbol.numpy",
    "npx": "numpy_extension",
    "numpy": "numpy",
    "numpy_extension": "numpy_extension",
    "numpy_op_signature": "numpy_op_signature",
    "onnx": "onnx",
    "optimizer": "optimizer",
    "profiler": "profiler",
    "recordio": "recordio",
    "registry": "registry",
    "rnn": "rnn",
    "runtime": "runtime",
    "test_utils": "test_utils",
    "util": "util",
    "visualization": "visualization",
    "viz": "visualization",
}
if not TYPE_CHECKING:  # a checker would believe that every name is there
    __getattr__, __dir__ = import_later(
        __name__, {name: f"{__name__}.{module}" for name, module in _LATER.items()}
    )

if TYPE_CHECKING:
    from gluonic import (
        callback,
        contrib,
        engine,
        error,
        executor_manager,
        image,
        io,
        kvstore,
        libinfo,
        library,
        log,
        lr_scheduler,
        metric,
        minpy,
        model,
        module,
        monitor,
        numpy,
        numpy_extension,
        numpy_op_signature,
        onnx,
        optimizer,
        profiler,
        recordio,
        registry,
        rnn,
        runtime,
        test_utils,
        util,
        visualization,
    )
    from gluonic import image as img
    from gluonic import kvstore as kv
    from gluonic import module as mod
    from gluonic import monitor as mon
    from gluonic import numpy as np
    from gluonic import numpy_extension as npx
    from gluonic import visualization as viz
    from gluonic.ndarray import context
    from gluonic.symbol import executor
    from gluonic.symbol import naming as name
    from gluonic.symbol import numpy as np_symbol
    from gluonic.symbol import scopes as attribute

__all__ = [
    "AttrScope",
    "Context",
    "MXNetError",
    "NameManager",
    "__version__",
    "autograd",
    "base",
    "cpu",
    "cpu_pinned",
    "current_context",
    "gluon",
    "gpu",
    "init",
    "initializer",
    "install_as_mxnet",
    "is_np_array",
    "is_np_shape",
    "kvstore",
    "lr_scheduler",
    "metric",
    "nd",
    "ndarray",
    "np_array",
    "np_shape",
    "num_gpus",
    "operator",
    "optimizer",
    "random",
    "rnd",
    "set_np_shape",
    "sym",
    "symbol",
    "use_np",
    "use_np_array",
    "use_np_shape",
    "visualization",
    "viz",
]
if TYPE_CHECKING:  # `import *` imports no module that comes later
    __all__ += [
        "attribute",
        "callback",
        "context",
        "contrib",
        "engine",
        "error",
        "executor",
        "executor_manager",
        "image",
        "img",
        "io",
        "kv",
        "libinfo",
        "library",
        "log",
        "minpy",
        "mod",
        "model",
        "module",
        "mon",
        "monitor",
        "name",
        "np",
        "np_symbol",
        "npx",
        "numpy",
        "numpy_extension",
        "numpy_op_signature",
        "onnx",
        "profiler",
        "recordio",
        "registry",
        "rnn",
        "runtime",
        "test_utils",
        "util",
    ]

hook.install()
