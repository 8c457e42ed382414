"""Axis-aligned rectangles: areas, overlaps, and non-maximum suppression."""

from functools import partial
from typing import Any, TypeAlias

import numpy as np

from gluonic.graph.operator import Array


def as_corners(boxes: Array) -> Any:
    """Convert (x, y, width, height), where x and y are the centre, to (left, top, right, bottom)."""
    half = boxes[..., 2:4] / 2
    return np.concatenate([boxes[..., :2] - half, boxes[..., :2] + half], -1)


def as_centers(boxes: Array) -> Any:
    """Convert (left, top, right, bottom) to (x, y, width, height), where x and y are the centre."""
    low, high = boxes[..., :2], boxes[..., 2:4]
    return np.concatenate([(low + high) / 2, high - low], -1)


def areas(boxes: Array) -> Any:
    """The areas of rectangles given by corners; 0 if a side is negative."""
    sides = boxes[..., 2:4] - boxes[..., :2]
    return np.where((sides < 0).any(-1), 0, sides[..., 0] * sides[..., 1])


def overlaps(some: Array, others: Array) -> Any:
    """The intersection over union of rectangles.

    Parameters
    ----------
    some, others : corners, (..., 4), of shapes that broadcast together
    """
    low = np.maximum(some[..., :2], others[..., :2])
    high = np.minimum(some[..., 2:4], others[..., 2:4])
    sides = np.maximum(high - low, 0)
    shared = sides[..., 0] * sides[..., 1]
    together = areas(some) + areas(others) - shared
    return np.divide(shared, together, out=np.zeros_like(shared), where=shared > 0)


def survivors(
    boxes: Array,
    classes: Array | None,
    threshold: float,
    *,
    strict: bool,
    most: int | None = None,
) -> Array:
    """Find the boxes that no better one suppresses: non-maximum suppression.

    Parameters
    ----------
    boxes : corners, (count, 4), the best first
    classes : a box suppresses only others of its class; None: any
    threshold : the overlap from which a box is suppressed
    strict : whether the overlap must exceed the threshold, not only reach it
    most : the maximum number of boxes to keep, the best first

    Returns
    -------
    array
        True for each box that is kept
    """
    covers = partial(
        _covers, threshold=threshold, compare=np.greater if strict else np.greater_equal
    )
    sides = np.ascontiguousarray(boxes[:, :4].T)
    known = sides, areas(boxes), np.zeros(len(boxes), int) if classes is None else classes
    left, alive = np.zeros(len(boxes), bool), np.arange(len(boxes))
    while alive.size and (most is None or most > 0):
        some, others = alive[:_AT_ONCE], alive[_AT_ONCE:]
        kept = some[_best(covers(known, some, some))][:most]
        left[kept] = True
        alive = others[~covers(known, kept, others).any(0)]
        most = None if most is None else most - len(kept)
    return left


_AT_ONCE = 48
"""Number of boxes compared at once, with each other and with all remaining ones; more would be wasted work."""

_Known: TypeAlias = tuple[Array, Array, Array]
"""The left, top, right and bottom of all boxes; their areas; their classes."""


def _covers(
    known: _Known, some: Array, others: Array, *, threshold: float, compare: np.ufunc
) -> Array:
    """Whether boxes suppress others of their class, by the threshold; (some, others)."""
    (low_x, low_y, high_x, high_y), area, classes = known
    one, other = some[:, None], others[None]
    width = np.minimum(high_x[one], high_x[other]) - np.maximum(low_x[one], low_x[other])
    height = np.minimum(high_y[one], high_y[other]) - np.maximum(low_y[one], low_y[other])
    shared = np.maximum(width, 0) * np.maximum(height, 0)
    covered: Array = compare(shared / (area[one] + area[other] - shared), threshold)
    covered &= classes[one] == classes[other]
    return covered


def _best(covers: Array) -> Array:
    """Which boxes of a block are kept: no better box that is itself kept suppresses them."""
    left = np.ones(len(covers), bool)
    for i, covered in enumerate(~np.triu(covers, 1)):
        if left[i]:
            left &= covered
    return left
