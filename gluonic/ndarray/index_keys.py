"""MXNet's functions on the keys of arrays, for programs that call them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gluonic.graph.errors import CallError, OutOfRangeError
from gluonic.ndarray.array import NDArray

_NDARRAY_UNSUPPORTED_INDEXING = -1
_NDARRAY_BASIC_INDEXING = 0
_NDARRAY_ADVANCED_INDEXING = 1
_NDARRAY_EMPTY_TUPLE_INDEXING = 2


def get_indexing_dispatch_code(key: tuple[Any, ...]) -> int:
    """Tell whether a key is basic (0), advanced (1), or has an empty tuple (2).

    >>> get_indexing_dispatch_code((0, slice(None), None)), get_indexing_dispatch_code(([0, 2],))
    (0, 1)
    """
    for part in key:
        if isinstance(part, (NDArray, np.ndarray, list, tuple, range)):
            empty = isinstance(part, tuple) and not part
            return _NDARRAY_EMPTY_TUPLE_INDEXING if empty else _NDARRAY_ADVANCED_INDEXING
        if part is not None and not isinstance(part, (slice, int, np.integer)):
            raise CallError(f"an NDArray has no key {part!r} of the type {type(part).__name__}")
    return _NDARRAY_BASIC_INDEXING


def get_oshape_of_gather_nd_op(dshape: Sequence[int], ishape: Sequence[int]) -> tuple[int, ...]:
    """Return the shape that `gather_nd` gives for data and indices of such shapes.

    >>> get_oshape_of_gather_nd_op((3, 4, 5), (2, 7))
    (7, 5)
    """
    return (*ishape[1:], *dshape[ishape[0] :])


def check_boolean_array_dimension(
    array_shape: Sequence[int], axis: int, bool_shape: Sequence[int]
) -> None:
    """Raise an IndexError unless a mask has the shape of an array from `axis` on."""
    for position, size in enumerate(bool_shape, axis):
        if array_shape[position] != size:
            raise OutOfRangeError(
                f"a mask of {size} elements does not match axis {position}, which has {array_shape[position]}"
            )


def indexing_key_expand_implicit_axes(
    key: Any, shape: Sequence[int]
) -> tuple[tuple[Any, ...], int]:
    """Return a key that names all axes, and -1: it has no masks without axes.

    >>> indexing_key_expand_implicit_axes((slice(2), ..., 0), (3, 4, 5))
    ((slice(None, 2, None), slice(None, None, None), 0), -1)
    """
    parts = key if isinstance(key, tuple) else (key,)
    dots = [position for position, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        raise OutOfRangeError("a key has one ellipsis (`...`) at most")
    position = dots[0] if dots else len(parts)
    named = [part for part in parts if part is not Ellipsis]
    missing = len(shape) - sum(part is not None for part in named)
    return (*named[:position], *[slice(None)] * missing, *named[position:]), -1
