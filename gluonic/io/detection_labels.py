"""The objects in an image, as labels encode them: a header, then each object's class, corners and more.

Corners are fractions of the image's width and height: left, top, right, bottom. Arithmetic is in float32, so
that the same parts of an image are chosen as in MXNet.
"""

from typing import Any, NamedTuple

import numpy as np

from gluonic.graph.errors import FileFormatError

_LEAST_HEADER, _LEAST_OBJECT = 2, 5
_ONE = np.float32(1)
_HALF = np.float32(0.5)


class ImagePart(NamedTuple):
    """A part of an image: a corner, its width and its height."""

    x: Any
    y: Any
    width: Any
    height: Any

    @property
    def area(self) -> Any:
        """Its area."""
        return self.width * self.height


class Limits(NamedTuple):
    """Bounds on the overlap of a part of an image with an object in it: the least and the greatest of each.

    Attributes
    ----------
    overlap : intersection over union
    sample : the fraction of the part that the object covers
    object : the fraction of the object that is in the part
    """

    overlap: tuple[float, float]
    sample: tuple[float, float]
    object: tuple[float, float]


class Objects:
    """The objects of an image.

    Parameters
    ----------
    label : the width of the header, the width of an object, the rest of the header, the objects

    Raises
    ------
    FileFormatError
        if it is no such label
    """

    def __init__(self, label: Any) -> None:
        label = np.asarray(label, np.float32)
        has_header = len(label) >= _LEAST_HEADER and np.isfinite(label[:_LEAST_HEADER]).all()
        header, width = (int(label[0]), int(label[1])) if has_header else (0, 0)
        if header < _LEAST_HEADER or width < _LEAST_OBJECT or len(label) < header + width:
            raise FileFormatError(
                f"a label of {len(label)} numbers, with a header of {header} and objects of {width}, is no "
                "label of objects: header width >= 2, object width >= 5, …"
            )
        if (len(label) - header) % width:
            raise FileFormatError(
                f"a label of {len(label)} numbers, {header} of them its header, has no whole objects of {width}"
            )
        rows = label[header:].reshape(-1, width)
        self._header = label[:header]
        self.rows = rows[(rows[:, 3] > rows[:, 1]) & (rows[:, 4] > rows[:, 2])]

    def label(self) -> Any:
        """The objects as a label."""
        return np.concatenate([self._header, self.rows.ravel()])

    def mirror(self) -> None:
        """Mirror left and right."""
        self.rows = self.rows.copy()
        self.rows[:, 1], self.rows[:, 3] = _ONE - self.rows[:, 3], _ONE - self.rows[:, 1]

    def project(self, box: ImagePart) -> None:
        """Transform the objects to the coordinates of a box, which becomes the image."""
        self.rows = _projected(self.rows, box)

    def crop(self, box: ImagePart, limits: Limits, by_centre: bool, least_overlap: float) -> bool:
        """Keep the objects in a box, in its coordinates; return whether it satisfies the limits and has any.

        Parameters
        ----------
        box : the part
        limits : the bounds on its overlap with an object
        by_centre : keep objects whose centres are inside; otherwise those of which a fraction is inside
        least_overlap : the least such fraction
        """
        if not len(self.rows):
            return True
        common, areas = self._common(box)
        if not self._keeps(box, limits, common, areas):
            return False
        if by_centre:
            x, y = ((self.rows[:, i] + self.rows[:, i + 2]) * _HALF for i in (1, 2))
            inside = (
                (box.x <= x) & (x < box.x + box.width) & (box.y <= y) & (y < box.y + box.height)
            )
        else:
            inside = common / areas > np.float32(least_overlap)
        if not inside.any():
            return False
        self.rows = _projected(self.rows[inside], box)
        return True

    def _common(self, box: ImagePart) -> tuple[Any, Any]:
        """The areas of the intersections of each object with a box, and of the objects."""
        left, top = self.rows[:, 1], self.rows[:, 2]
        width, height = self.rows[:, 3] - left, self.rows[:, 4] - top
        across = np.minimum(box.x + box.width, left + width) - np.maximum(box.x, left)
        down = np.minimum(box.y + box.height, top + height) - np.maximum(box.y, top)
        return np.where((across > 0) & (down > 0), across * down, np.float32(0)), width * height

    def _keeps(self, box: ImagePart, limits: Limits, common: Any, areas: Any) -> bool:
        """Whether any object is within all limits."""
        within = np.ones(len(self.rows), bool)
        shares = (common / (box.area + areas - common), common / box.area, common / areas)
        for share, (least, most) in zip(shares, limits, strict=True):
            if least > 0 or most < 1:
                within &= (share >= np.float32(least)) & (share <= np.float32(most))
        return bool(within.any())


def _projected(rows: Any, box: ImagePart) -> Any:
    rows = rows.copy()
    for axis, (begin, length) in enumerate(((box.x, box.width), (box.y, box.height)), 1):
        rows[:, axis] = np.maximum(0, (rows[:, axis] - begin) / length)
        rows[:, axis + 2] = np.minimum(1, (rows[:, axis + 2] - begin) / length)
    return rows
