"""Results of kernels: with the inferred dtypes and shapes, and in memory that the receiver owns."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.application import Application, Signature
from gluonic.graph.errors import MXNetError
from gluonic.graph.operator import Array


def conform(results: Sequence[Any], expected: Signature, application: Application) -> list[Array]:
    """Give a kernel's results the inferred dtypes and shapes."""
    return [
        conformed(result, shape, dtype, application)
        for result, shape, dtype in zip(results, expected.shapes, expected.dtypes, strict=True)
    ]


def conformed(
    result: Any, shape: tuple[int, ...] | None, dtype: Any, application: Application
) -> Array:
    """Give one result of a kernel the inferred dtype and shape."""
    array: Array = result if type(result) is np.ndarray else np.asarray(result)
    if array.dtype != dtype:
        array = array.astype(dtype)
    if shape is not None and array.shape != shape:
        if array.size != prod(shape):
            raise MXNetError(
                f"gluonic bug: {application.op.name} declares the shape {shape} and computed {array.shape}"
            )
        array = array.reshape(shape)
    return array


def own(array: Array, arrays: Sequence[Array]) -> Array:
    """The array if it is contiguous, writable and shares no memory with `arrays`; otherwise a copy."""
    if not array.flags.carray:
        return array.copy()
    if array.base is None:
        for x in arrays:
            if x is array:
                return array.copy()
        return array
    for x in arrays:
        if np.may_share_memory(array, x):
            return array.copy()
    return array
