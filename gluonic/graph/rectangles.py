"""Rectangles with sides along the axes: areas, overlaps, and who covers whom."""

from typing import Any

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
        True for each box that is left
    """
    left = np.ones(len(boxes), bool)
    compare = np.greater if strict else np.greater_equal
    low_x, low_y, high_x, high_y = np.ascontiguousarray(boxes[:, :4].T)
    area = areas(boxes)
    for i in range(len(boxes)):
        if not left[i]:
            continue
        if most is not None:
            if not most:
                break
            most -= 1
        after = slice(i + 1, None)
        width = np.minimum(high_x[i], high_x[after]) - np.maximum(low_x[i], low_x[after])
        height = np.minimum(high_y[i], high_y[after]) - np.maximum(low_y[i], low_y[after])
        shared = np.maximum(width, 0) * np.maximum(height, 0)
        covered = compare(shared / (area[i] + area[after] - shared), threshold)
        if classes is not None:
            covered &= classes[after] == classes[i]
        left[after] &= ~covered
    return left
