"""``mx.util``: NumPy's shapes, and questions about the machine."""

import os
from collections.abc import Callable
from functools import wraps
from typing import Any, NoReturn, Self, TypeVar

from gluonic.graph.errors import NotThereError
from gluonic.graph.shape_semantics import is_np_shape, np_shape, set_np_shape, use_np_shape

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


def get_gpu_count() -> int:
    """Return the number of GPUs that gluonic can use: none."""
    return 0


def get_gpu_memory(gpu_dev_id: int) -> tuple[int, int]:
    """Raise: there is no GPU."""
    raise NotThereError(f"get_gpu_memory({gpu_dev_id}): gluonic runs on the CPU")


def get_cuda_compute_capability(ctx: Any) -> NoReturn:
    """Raise: there is no GPU."""
    raise ValueError(f"{ctx} is no GPU that gluonic could use")


def is_np_array() -> bool:
    """Return whether Gluon works on `mx.np` arrays: never, for there is no `mx.np`."""
    return False


def _no_np(what: str) -> NotThereError:
    return NotThereError(f"{what}: gluonic has no mx.np; its arrays are mx.nd's")


def _needs_np(name: str) -> Callable[..., Any]:
    def decorate(func: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(func)
        def refuse(*arguments: Any, **keywords: Any) -> NoReturn:
            raise _no_np(f"{name}: {getattr(func, '__name__', func)}")

        return refuse

    decorate.__name__ = decorate.__qualname__ = name
    decorate.__doc__ = "Decorate a function that works with `mx.np`: calling it raises."
    return decorate


use_np = _needs_np("use_np")
use_np_array = _needs_np("use_np_array")


class _NumpyArrayScope:
    """What `np_array` returns: a scope without `mx.np` changes nothing, one with it is not there."""

    def __init__(self, is_np_array: bool) -> None:
        self._is_np_array = is_np_array

    def __enter__(self) -> Self:
        if self._is_np_array:
            raise _no_np("np_array")
        return self

    def __exit__(self, *exception: object) -> None:
        pass


def np_array(active: bool = True) -> _NumpyArrayScope:
    """Return a scope in which Gluon works on arrays of `mx.nd`.

    Parameters
    ----------
    active : False; True would mean arrays of `mx.np`, which are not there

    Examples
    --------
    >>> with np_array(False):
    ...     is_np_array()
    False
    """
    if active:
        raise _no_np("np_array")
    return _NumpyArrayScope(active)


def set_np(shape: bool = True, array: bool = True) -> None:
    """Switch NumPy's shapes on or off.

    Parameters
    ----------
    shape : whether 0 and ``()`` in shapes mean what they say
    array : False; True would mean arrays of `mx.np`, which are not there
    """
    if array:
        raise _no_np("set_np")
    set_np_shape(shape)


def reset_np() -> None:
    """Switch NumPy's shapes off."""
    set_np_shape(False)


def set_module(module: str) -> Callable[[_Named], _Named]:
    """Let a function or class say that it comes from another module (a decorator)."""

    def decorate(named: _Named) -> _Named:
        if module is not None:
            named.__module__ = module
        return named

    return decorate


def getenv(name: str) -> str | None:
    """Return an environment variable, None if it is not set."""
    return os.environ.get(name)


def setenv(name: str, value: str | None) -> None:
    """Set an environment variable; None removes it."""
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value
