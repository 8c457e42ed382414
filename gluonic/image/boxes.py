"""Boxes around objects: rows (left, top, right, bottom) in fractions of an image's width and height."""

from typing import Any

import numpy as np


def areas(boxes: Any) -> Any:
    """The areas of boxes, (boxes, 4), as fractions of the image's; 0 for empty boxes."""
    width = np.maximum(0, boxes[:, 2] - boxes[:, 0])
    return np.maximum(0, boxes[:, 3] - boxes[:, 1]) * width


def within(boxes: Any, window: tuple[float, float, float, float]) -> Any:
    """The intersections of boxes with a window; zeros where they are empty.

    Parameters
    ----------
    boxes : (boxes, 4)
    window : left, top, right, bottom
    """
    left, top, right, bottom = window
    found = boxes.copy()
    np.maximum(boxes[:, :2], (left, top), out=found[:, :2])
    np.minimum(boxes[:, 2:4], (right, bottom), out=found[:, 2:4])
    outside = (found[:, 0] >= found[:, 2]) | (found[:, 1] >= found[:, 3])
    found[outside] = 0
    return found


def seen_from(boxes: Any, x: float, y: float, width: float, height: float) -> Any:
    """Boxes in fractions of a window instead of the image.

    Parameters
    ----------
    boxes : (boxes, 4)
    x, y, width, height : the window, in fractions of the image
    """
    found = boxes.copy()
    found[:, (0, 2)] = (boxes[:, (0, 2)] - x) / width
    found[:, (1, 3)] = (boxes[:, (1, 3)] - y) / height
    return found
