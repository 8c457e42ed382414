"""The package `onnx`, imported when a model is written or read."""

from types import ModuleType
from typing import Any

import numpy as np

from gluonic.graph.errors import MissingModuleError, describe
from gluonic.support.extras import how_to_install

_TENSOR_TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9,
    "float16": 10, "float64": 11, "uint32": 12, "uint64": 13, "bfloat16": 16,
}  # fmt: skip


def onnx_library() -> ModuleType:
    """Import `onnx`.

    Raises
    ------
    MissingModuleError
        an ImportError, if it is not installed
    """
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise MissingModuleError(
            describe("ONNX files need the package onnx", hint=how_to_install("onnx"))
        ) from error
    return onnx


def onnx_runtime() -> Any:
    """ONNX Runtime's module; None if it is not installed."""
    try:
        import onnxruntime
    except ImportError:
        return None
    return onnxruntime


def tensor_type(dtype: Any) -> int:
    """ONNX's number of a NumPy dtype."""
    return _TENSOR_TYPES[np.dtype(dtype).name]
