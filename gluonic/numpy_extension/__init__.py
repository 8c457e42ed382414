"""``mx.npx``: functions of the NumPy interface that NumPy does not have, and its switches."""

from typing import TYPE_CHECKING

from gluonic.ndarray import waitall
from gluonic.ndarray.context import (
    Context,
    cpu,
    cpu_pinned,
    current_context,
    gpu,
    gpu_memory_info,
    num_gpus,
)
from gluonic.ndarray.numpy.serialization import load, save
from gluonic.ndarray.numpy_extension import cond, foreach, functions, while_loop
from gluonic.numpy.random import seed
from gluonic.numpy_extension import image, random
from gluonic.util import (
    get_cuda_compute_capability,
    is_np_array,
    is_np_shape,
    reset_np,
    set_np,
    use_np,
)

if TYPE_CHECKING:
    from gluonic.numpy_extension.typed import functions as _typed
    from gluonic.numpy_extension.typed.functions import *
else:
    globals().update(functions)

__all__ = [
    "Context", "cond", "cpu", "cpu_pinned", "current_context", "foreach", "get_cuda_compute_capability", "gpu",
    "gpu_memory_info", "image", "is_np_array", "is_np_shape", "load", "num_gpus", "random", "reset_np", "save",
    "seed", "set_np", "use_np", "waitall", "while_loop",
]  # fmt: skip
if TYPE_CHECKING:
    __all__ += _typed.__all__
else:
    __all__ += [*functions]
