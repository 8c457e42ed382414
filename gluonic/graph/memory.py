"""Allocation of arrays, and the error when there is no memory.

NumPy raises a `MemoryError`, or a `ValueError` if no machine could have so much. Only the code that makes an
array knows its purpose, so it names that: in an ``except`` where every microsecond counts, otherwise by the
functions below or with `allocating`.
"""

from collections.abc import Callable
from contextlib import ContextDecorator
from math import prod
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from gluonic.graph.errors import MXNetError, describe
from gluonic.graph.view import written

_Array = npt.NDArray[Any]
_HINT = "smaller batches, layers or parts, float16, or `del` of arrays that are no longer needed"
_SIGNS = ("too big", "Maximum allowed dimension", "too large")


class TooLargeError(MXNetError, MemoryError):
    """An array does not fit into memory."""


def lacks_memory(error: BaseException | None) -> bool:
    """Whether an error of NumPy or Python is for lack of memory, and does not yet name a purpose."""
    if isinstance(error, MXNetError):
        return False
    is_sign = isinstance(error, ValueError) and any(sign in str(error) for sign in _SIGNS)
    return is_sign or isinstance(error, MemoryError)


def too_large(
    what: str,
    error: BaseException | None = None,
    *,
    where: str = "",
    shape: tuple[int, ...] | None = None,
    dtype: Any = None,
) -> TooLargeError:
    """Return the error that there is no memory.

    Parameters
    ----------
    what : the array's purpose
    error : the original error; NumPy's have a shape and a dtype
    where : the function or operator that was called
    shape, dtype : those of the array, if known
    """
    if shape is None:
        shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
    facts = [str(error)] if shape is None and error is not None and str(error) else []
    if shape is not None:
        facts.append(sized(shape, np.dtype(dtype)))
    return TooLargeError(
        describe(f"there is no memory for {what}", where=where, facts=facts, hint=_HINT)
    )


def sized(shape: tuple[int, ...], dtype: np.dtype[Any]) -> str:
    """A shape, a dtype, and the memory of such an array, in words.

    >>> sized((1024, 1024, 1024), np.dtype("float32"))
    'shape (1024, 1024, 1024), float32: 4.00 GiB'
    """
    return f"shape {written(shape)}, {dtype}: {prod(shape) * dtype.itemsize / 2**30:,.2f} GiB"


class allocating(ContextDecorator):
    """A ``with`` statement, or a decorator, whose errors for lack of memory name a purpose.

    Parameters
    ----------
    what : the purpose of arrays made inside
    """

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None and lacks_memory(error):
            raise too_large(self.what, error) from error


def allocated(make: Callable[..., _Array], shape: tuple[int, ...], dtype: Any, what: str) -> _Array:
    """Return a new array from `numpy.empty`, `zeros` or `ones`."""
    try:
        return make(shape, dtype)
    except (MemoryError, ValueError) as error:
        if lacks_memory(error):
            raise too_large(what, error, shape=shape, dtype=dtype) from None
        raise


def copied(array: _Array, what: str = "a copy") -> _Array:
    """Return a copy of an array."""
    try:
        return array.copy()
    except MemoryError as error:
        raise too_large(what, error) from None


def converted(array: _Array, dtype: Any, what: str, *, copy: bool = True) -> _Array:
    """Return an array converted to another dtype."""
    try:
        return array.astype(dtype, copy=copy)
    except MemoryError as error:
        raise too_large(what, error, shape=array.shape, dtype=dtype) from None
