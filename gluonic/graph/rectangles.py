"""Rectangles with sides along the axes: areas, overlaps, and who covers whom."""

from functools import partial
from typing import Any, TypeAlias

import numpy as np

from gluonic.graph.operator import Array


def as_corners(boxes: Array) -> Any:
    """Turn (x, y, width, height), x and y being the middle, into (left, top, right, bottom)."""
    half = boxes[..., 2:4] / 2
    return np.concatenate([boxes[..., :2] - half, boxes[..., :2] + half], -1)


def as_centers(boxes: Array) -> Any:
    """Turn (left, top, right, bottom) into (x, y, width, height)."""
    low, high = boxes[..., :2], boxes[..., 2:4]
    return np.concatenate([(low + high) / 2, high - low], -1)


def areas(boxes: Array) -> Any:
    """Find areas of corners; a rectangle turned inside out has none."""
    sides = boxes[..., 2:4] - boxes[..., :2]
    return np.where((sides < 0).any(-1), 0, sides[..., 0] * sides[..., 1])


def overlaps(some: Array, others: Array) -> Any:
    """Find the area that two rectangles share as a part of what they cover together.

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
    """Find which boxes no better one covers: non-maximum suppression.

    Parameters
    ----------
    boxes : corners, (count, 4), the best first
    classes : a box suppresses others of its class only; None: any
    threshold : from which overlap on a box is suppressed
    strict : the overlap must be larger than the threshold, not only reach it
    most : stop after so many have been found to be left

    Returns
    -------
    array
        True for each box that is left, with `most` for the best of them
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
"""How many boxes are compared at once, with each other and with all that are left: of more, most in vain."""

_Known: TypeAlias = tuple[Array, Array, Array]
"""Of all boxes left, top, right, bottom; their areas; their classes."""


def _covers(
    known: _Known, some: Array, others: Array, *, threshold: float, compare: np.ufunc
) -> Array:
    """Whether boxes overlap with others of their class by more than the threshold; (some, others)."""
    (low_x, low_y, high_x, high_y), area, classes = known
    one, other = some[:, None], others[None]
    width = np.minimum(high_x[one], high_x[other]) - np.maximum(low_x[one], low_x[other])
    height = np.minimum(high_y[one], high_y[other]) - np.maximum(low_y[one], low_y[other])
    shared = np.maximum(width, 0) * np.maximum(height, 0)
    covered: Array = compare(shared / (area[one] + area[other] - shared), threshold)
    covered &= classes[one] == classes[other]
    return covered


def _best(covers: Array) -> Array:
    """Which of some boxes no better one of them covers that is itself left."""
    left = np.ones(len(covers), bool)
    for i, covered in enumerate(~np.triu(covers, 1)):
        if left[i]:
            left &= covered
    return left
