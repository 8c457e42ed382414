"""Bound arrays of other shapes that share memory with the old ones."""

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from gluonic.graph.errors import MXNetError, describe
from gluonic.ndarray.array import NDArray


class Resizing:
    """Makes arrays of other shapes in the memory of old ones.

    Parameters
    ----------
    given : the new shapes that the user names
    partial : whether other arrays may change, too
    grow : whether arrays may become larger, in memory of their own
    """

    def __init__(self, given: Mapping[str, Any], partial: bool, grow: bool) -> None:
        self.given, self.partial, self.grow = given, partial, grow

    def __call__(self, name: str, array: NDArray, shape: Any) -> NDArray:
        """Return an array of that shape; one that may not change raises MXNetError."""
        if shape is None or None in shape:
            shape = array.shape
        if shape == array.shape:
            return array
        if name not in self.given and not self.partial:
            raise MXNetError(
                describe(
                    f"reshape: {name} would change from {array.shape} to {shape}, "
                    "and parameters would no longer be shared",
                    hint="partial_shaping=True if that is intended",
                )
            )
        if prod(shape) <= array._data.size:
            return part(array, shape)
        if not self.grow:
            raise MXNetError(
                describe(
                    f"reshape: {name} would grow from {array.shape} to {shape}",
                    hint="bind the largest shape first, or allow_up_sizing=True",
                )
            )
        return NDArray(np.zeros(shape, array._data.dtype), array._context)


def part(array: NDArray, shape: tuple[int, ...]) -> NDArray:
    """Take the beginning of an array's memory, as another shape."""
    return NDArray(array._data.reshape(-1)[: prod(shape)].reshape(shape), array._context)
