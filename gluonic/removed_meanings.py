"""Calls of NumPy's functions that mean something else now: lists of unequal lengths, ``copy=False``.

Before NumPy 1.24 `array`, `asarray` and `save` made an array of Python objects of lists of unequal lengths.
Before NumPy 2 ``array(x, copy=False)`` copied where that was necessary; now it raises an error.
"""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

_RAGGED = [[0], [0, 0]]
_SAVING = {"save": 1, "savez": 1, "savez_compressed": 1}
"""Functions that write arrays, and how many positional arguments stand before them."""


def restore_meanings() -> None:
    """Replace the functions that NumPy has restricted; the others stay as they are."""
    accepts_ragged = _accepts(lambda: np.array(_RAGGED))
    if not _accepts(lambda: np.array([0], np.float32, copy=False)):
        np.array = _copying_where_necessary(np.array)
    if not accepts_ragged:
        for name in ("array", "asarray", "asanyarray"):
            setattr(np, name, _of_objects(getattr(np, name)))
        for name, before in _SAVING.items():
            setattr(np, name, _saving_objects(getattr(np, name), before))


def _accepts(call: Callable[[], Any]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except ValueError:
            return False
    return True


def _copying_where_necessary(array: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(array)
    def call(*args: Any, **keywords: Any) -> Any:
        if keywords.get("copy", True) is False:
            keywords["copy"] = None
        return array(*args, **keywords)

    return call


def _of_objects(array: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes an array of objects of what has no other dtype, with the warning of its time."""

    @wraps(array)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return array(*args, **keywords)
        except ValueError as error:
            dtype = args[1] if len(args) > 1 else keywords.get("dtype")
            if dtype is not None or "inhomogeneous" not in str(error):
                raise
        warnings.warn(
            "an array of objects is made of lists of unequal lengths; dtype=object says that it is meant",
            getattr(np, "VisibleDeprecationWarning", UserWarning),
            stacklevel=2,
        )
        if len(args) > 1:
            return array(args[0], object, *args[2:], **keywords)
        return array(*args, **{**keywords, "dtype": object})

    return call


def _saving_objects(save: Callable[..., Any], before: int) -> Callable[..., Any]:
    @wraps(save)
    def call(*args: Any, **keywords: Any) -> Any:
        first, arrays = args[:before], map(_as_array, args[before:])
        options = ("allow_pickle", "fix_imports", "file")
        rest = {k: v if k in options else _as_array(v) for k, v in keywords.items()}
        return save(*first, *arrays, **rest)

    return call


def _as_array(value: Any) -> Any:
    return np.asanyarray(value) if isinstance(value, (list, tuple)) else value
