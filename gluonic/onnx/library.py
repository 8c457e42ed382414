"""The package `onnx`, imported when a model is written or read."""

from types import ModuleType
from typing import Any

import numpy as np

from gluonic.graph.errors import MissingModuleError, describe
from gluonic.support.extras import how_to_install


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
    code: int = onnx_library().helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    return code
