"""Tensors of an ONNX file, and their dtypes."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from gluonic.codegen import SymbolicDim
from gluonic.graph import Array, Entry
from gluonic.graph.dtypes import CODE_OF, bfloat16
from gluonic.onnx.errors import NotImportable
from gluonic.onnx.library import onnx_library

MOST_ELEMENTS = 1 << 26
"""The most elements of a value that is computed while a model is read."""


@dataclass(eq=False)
class Tensor:
    """A value of ONNX's graph.

    Attributes
    ----------
    array : its elements, if they are constant; sizes among them may be symbolic
    entry : the node's output that computes it; made from `array` when it is first needed
    name : its name
    """

    array: Array | None = None
    entry: Entry | None = None
    name: str = ""


def check_size(shape: Iterable[int]) -> None:
    """Refuse a shape of which a model that is read makes no array.

    Raises
    ------
    NotImportable
        for more than `MOST_ELEMENTS`
    """
    count = prod(map(int, shape))
    if count > MOST_ELEMENTS:
        raise NotImportable(f"a constant of {count:,} elements")


def plain(array: Array) -> Array:
    """An array without symbolic sizes."""
    if array.dtype != object:
        return array
    if any(isinstance(element, SymbolicDim) for element in array.reshape(-1)):
        raise NotImportable("an open size is used as data")
    return array.astype(np.int64)


def supported(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """A dtype that gluonic computes with."""
    if dtype in CODE_OF:
        return dtype
    if dtype.name == "bfloat16":
        return bfloat16()
    raise NotImportable(f"the dtype {'string' if dtype.kind == 'O' else dtype.name}")


def dtype_of_type(code: int) -> np.dtype[Any]:
    """The dtype of ONNX's number of one."""
    onnx = onnx_library()
    if code == onnx.TensorProto.STRING:
        raise NotImportable("the dtype string")
    try:
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(code))
    except (KeyError, TypeError) as error:
        raise NotImportable(f"the dtype number {code}") from error
    name = onnx.TensorProto.DataType.Name(code).lower()
    if name not in ("float", "double", "bool") and dtype.name != name:
        raise NotImportable(f"the dtype {name}")
    return supported(dtype)


def tensor_array(tensor: Any) -> Array:
    """The elements of a tensor in the file."""
    array: Array = onnx_library().numpy_helper.to_array(tensor)
    return array
