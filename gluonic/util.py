"""``mx.util``: the switches of NumPy's semantics, and questions about the machine."""

import os
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from gluonic.graph.array_semantics import (
    is_np_array,
    np_array,
    reset_np,
    set_np,
    use_np,
    use_np_array,
    use_np_shape,
)
from gluonic.graph.errors import NotThereError
from gluonic.graph.shape_semantics import is_np_shape, np_shape, set_np_shape

__all__ = [
    "get_cuda_compute_capability",
    "get_gpu_count",
    "get_gpu_memory",
    "getenv",
    "is_np_array",
    "is_np_shape",
    "np_array",
    "np_shape",
    "reset_np",
    "set_module",
    "set_np",
    "set_np_shape",
    "setenv",
    "use_np",
    "use_np_array",
    "use_np_shape",
]

_Named = TypeVar("_Named")
_NumpyArrayScope = np_array  # the name that programs written for MXNet import


def get_gpu_count() -> int:
    """Return the number of GPUs that gluonic can use: none."""
    return 0


def get_gpu_memory(gpu_dev_id: int) -> tuple[int, int]:
    """Raise: there is no GPU."""
    raise NotThereError(f"get_gpu_memory({gpu_dev_id}): gluonic runs on the CPU")


def get_cuda_compute_capability(ctx: Any) -> NoReturn:
    """Raise: there is no GPU."""
    raise ValueError(f"{ctx} is no GPU that gluonic could use")


def set_module(module: str) -> Callable[[_Named], _Named]:
    """Set the module that a function or class reports (a decorator).

    Parameters
    ----------
    module : the module's name; None changes nothing
    """

    def decorate(named: _Named) -> _Named:
        if module is not None:
            named.__module__ = module
        return named

    return decorate


def getenv(name: str) -> str | None:
    """Return an environment variable, None if it is not set.

    Parameters
    ----------
    name : its name
    """
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Set an environment variable.

    Parameters
    ----------
    name : its name
    value : its value; None removes it
    """
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
