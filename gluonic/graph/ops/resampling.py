"""Resampling of an axis to another length: linear maps, read by NumPy and by the compiler.

A place is an index of the input axis, a new place one of the output axis. ``m`` is NumPy or the compiler's
emitter, as in the expressions of element-wise operators; numbers are float64.
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

    def weight(self, m: Any, new_place: Any, place: Any, size: Any, new_size: Any) -> Any:
        """The weight of a place in a new place."""

    def places(self, m: Any, new_place: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The places that contribute to a new place: the first, and the end (exclusive)."""

    def new_places(self, m: Any, place: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The new places that a place contributes to, first and end; outer ones may have the weight zero."""


@record
class Interpolation:
    """Linear interpolation between neighbouring places.

    Attributes
    ----------
    align_corners : whether the centres of the first and last places of both axes coincide, or their outer edges
    """

    align_corners: bool

    def _at(self, m: Any, new_place: Any, size: Any, new_size: Any) -> Any:
        """The position of a new place on the input axis."""
        if self.align_corners:
            at = new_place * self._step(m, size, new_size)
        else:
            at = (new_place + 0.5) * self._step(m, size, new_size) - 0.5
            at = m.where(m.equal(new_size, 1.0), 0.0, at)
        return m.minimum(m.maximum(at, 0.0), size - 1)

    def _step(self, m: Any, size: Any, new_size: Any) -> Any:
        """The distance between new places on the input axis."""
        if self.align_corners:
            return (size - 1) / m.maximum(new_size - 1, 1.0)
        return size / new_size

    def weight(self, m: Any, new_place: Any, place: Any, size: Any, new_size: Any) -> Any:
        """The weight of a place in a new place."""
        return m.maximum(1 - m.abs(self._at(m, new_place, size, new_size) - place), 0.0)

    def places(self, m: Any, new_place: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The one or two neighbouring places of a new place."""
        first = m.floor(self._at(m, new_place, size, new_size))
        return first, m.minimum(first + 2, size)

    def new_places(self, m: Any, place: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The new places between the two neighbours of a place."""
        rim = 0.0 if self.align_corners else 0.5
        step = self._step(m, size, new_size)
        first = m.floor((place - 1 + rim) / step - rim)
        end = m.ceil((place + 1 + rim) / step - rim) + 1
        return m.maximum(first, 0.0), m.minimum(end, new_size)


@record
class Averaging:
    """Means over parts of almost equal length; repetition, if there are more parts than places."""

    def places(self, m: Any, new_place: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The part of the axis that is averaged."""
        return m.floor(new_place * size / new_size), m.ceil((new_place + 1) * size / new_size)

    def weight(self, m: Any, new_place: Any, place: Any, size: Any, new_size: Any) -> Any:
        """The weight of a place in a new place."""
        first, end = self.places(m, new_place, size, new_size)
        inside = m.logical_and(m.less_equal(first, place), m.less(place, end))
        return m.where(inside, 1 / m.maximum(end - first, 1.0), 0.0)

    def new_places(self, m: Any, place: Any, size: Any, new_size: Any) -> tuple[Any, Any]:
        """The parts that contain a place."""
        return m.floor(place * new_size / size), m.ceil((place + 1) * new_size / size)


@lru_cache(maxsize=256)
def resampling_matrix(resampling: Resampling, size: int, new_size: int) -> Array:
    """The weights of all places in all new places, (new_size, size).

    Examples
    --------
    >>> resampling_matrix(Averaging(), 3, 2)
    array([[0.5, 0.5, 0. ],
           [0. , 0.5, 0.5]])
    """
    new_places, places = np.arange(float(new_size))[:, None], np.arange(float(size))
    weights: Array = resampling.weight(M, new_places, places, float(size), float(new_size))
    return weights
