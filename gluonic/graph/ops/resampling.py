"""Resampling of an axis to another length: linear maps, read by NumPy and by the compiler.

An index is one of the input axis, a new index one of the output axis. ``m`` is NumPy or the compiler's emitter,
as in the expressions of element-wise operators; numbers are float64.
"""

from collections.abc import Hashable
from functools import lru_cache
from typing import Any, Protocol

import numpy as np

from gluonic.graph.operator import Array
from gluonic.graph.scalar_math import M
from gluonic.support.record import record


class Resampling(Hashable, Protocol):
    """A linear map from an axis of length `size` to one of length `new_size`."""

    def weight(self, m: Any, new_index: Any, index: Any, size: Any, new_size: Any) -> Any:
        """The weight of the element at an index in that at a new index."""

    def sources(self, m: Any, new_index: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The indices that contribute to a new index: the first, and the end (exclusive)."""

    def targets(self, m: Any, index: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The new indices that an index contributes to, first and end; the outer ones may have weight zero."""


@record
class Interpolation:
    """Linear interpolation between neighbouring elements.

    Attributes
    ----------
    align_corners : whether the centres of the first and last elements of both axes coincide, or their edges
    """

    align_corners: bool

    def _at(self, m: Any, new_index: Any, size: Any, new_size: Any) -> Any:
        """The position of a new index on the input axis."""
        if self.align_corners:
            at = new_index * self._step(m, size, new_size)
        else:
            at = (new_index + 0.5) * self._step(m, size, new_size) - 0.5
            at = m.where(m.equal(new_size, 1.0), 0.0, at)
        return m.minimum(m.maximum(at, 0.0), size - 1)

    def _step(self, m: Any, size: Any, new_size: Any) -> Any:
        """The distance between new indices on the input axis."""
        if self.align_corners:
            return (size - 1) / m.maximum(new_size - 1, 1.0)
        return size / new_size

    def weight(self, m: Any, new_index: Any, index: Any, size: Any, new_size: Any) -> Any:
        """The weight of the element at an index in that at a new index."""
        return m.maximum(1 - m.abs(self._at(m, new_index, size, new_size) - index), 0.0)

    def sources(self, m: Any, new_index: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The one or two indices next to a new index."""
        first = m.floor(self._at(m, new_index, size, new_size))
        return first, m.minimum(first + 2, size)

    def targets(self, m: Any, index: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The new indices between the two neighbours of an index."""
        rim = 0.0 if self.align_corners else 0.5
        step = self._step(m, size, new_size)
        first = m.floor((index - 1 + rim) / step - rim)
        end = m.ceil((index + 1 + rim) / step - rim) + 1
        return m.maximum(first, 0.0), m.minimum(end, new_size)


@record
class Averaging:
    """Means over parts of almost equal length; repetition, if there are more parts than elements."""

    def sources(self, m: Any, new_index: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The part of the axis that is averaged."""
        return m.floor(new_index * size / new_size), m.ceil((new_index + 1) * size / new_size)

    def weight(self, m: Any, new_index: Any, index: Any, size: Any, new_size: Any) -> Any:
        """The weight of the element at an index in that at a new index."""
        first, end = self.sources(m, new_index, size, new_size)
        inside = m.logical_and(m.less_equal(first, index), m.less(index, end))
        return m.where(inside, 1 / m.maximum(end - first, 1.0), 0.0)

    def targets(self, m: Any, index: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The parts that contain an index."""
        return m.floor(index * new_size / size), m.ceil((index + 1) * new_size / size)


@lru_cache(maxsize=256)
def resampling_matrix(resampling: Resampling, size: int, new_size: int) -> Array:
    """The weights of all elements in all new ones, (new_size, size).

    Examples
    --------
    >>> resampling_matrix(Averaging(), 3, 2)
    array([[0.5, 0.5, 0. ],
           [0. , 0.5, 0.5]])
    """
    targets, sources = np.arange(float(new_size))[:, None], np.arange(float(size))
    weights: Array = resampling.weight(M, targets, sources, float(size), float(new_size))
    return weights
