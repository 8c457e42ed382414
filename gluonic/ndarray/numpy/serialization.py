"""`npx.save` and `npx.load`: files of arrays of `mx.np`, in the format of `nd.save`."""

import os
from collections.abc import Mapping
from typing import Any

from gluonic.graph.array_semantics import is_np_array
from gluonic.graph.errors import CallError, describe
from gluonic.graph.shape_semantics import is_np_shape
from gluonic.ndarray import serialization
from gluonic.ndarray.array import NDArray


class FileContentsError(CallError, TypeError):
    """The value to save is neither an array of `mx.np` nor a list or dict of them."""


def save(file: str | os.PathLike[str], arr: Any) -> None:
    """Write arrays to a file.

    Parameters
    ----------
    file : its name
    arr : an array, a list of arrays, or a dict of arrays by name

    Raises
    ------
    ValueError
        if NumPy's semantics are off
    TypeError
        for anything but arrays of `mx.np`
    """
    _require_switches("npx.save")
    arrays = [arr] if isinstance(arr, NDArray) else arr
    values = arrays.values() if isinstance(arrays, Mapping) else arrays
    if not isinstance(arrays, (list, tuple, Mapping)) or not all(
        isinstance(value, NDArray) and value.of_numpy for value in values
    ):
        raise FileContentsError(
            describe(
                "an array of mx.np is needed, a list of them, or a dict of them by name",
                where="npx.save",
                hint="x.as_np_ndarray(), or mx.nd.save",
            )
        )
    serialization.save(file, arrays)


def load(file: str | os.PathLike[str]) -> Any:
    """Read the arrays of a file.

    Parameters
    ----------
    file : its name

    Returns
    -------
    list or dict
        the arrays, by name if they have names

    Raises
    ------
    ValueError
        if NumPy's semantics are off
    """
    _require_switches("npx.load")
    found = serialization.load(file)
    if isinstance(found, dict):
        return {name: array.as_np_ndarray() for name, array in found.items()}
    return [array.as_np_ndarray() for array in found]


def _require_switches(name: str) -> None:
    if not (is_np_array() and is_np_shape()):
        raise CallError(
            describe("NumPy's semantics are off", where=name, hint="npx.set_np(), or mx.nd.save")
        )
