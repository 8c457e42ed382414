"""Augmenters that crop or pad images with objects.

W. Liu and others: SSD: single shot multibox detector (2016).
"""

import logging
import random
import warnings
from collections.abc import Sequence
from math import sqrt
from numbers import Number
from typing import Any, NamedTuple

import numpy as np

from gluonic.image.boxes import areas, seen_from, within
from gluonic.image.cropping import copyMakeBorder, fixed_crop
from gluonic.image.detection_augmenter import DetAugmenter, Labelled

__all__ = ["DetRandomCropAug", "DetRandomPadAug"]

_ISOLATED = 16  # OpenCV's padding with one colour, flagged not to read neighbouring pixels
_LEAST_AREA = 2  # the least area of a window or an object, in pixels
_LEAST_PADDING = 2


class _Window(NamedTuple):
    """A window of an image, which may extend beyond it, in pixels."""

    x: int
    y: int
    width: int
    height: int


def _limits(value: Any, name: str, where: str) -> Any:
    """The least and the largest value of a range; a number is both."""
    if not isinstance(value, Number):
        return value
    logging.info("Using fixed %s: %s in %s", name, value, where)
    return value, value


class _RandomWindow(DetAugmenter):
    """The base of both.

    Attributes
    ----------
    enabled : whether its parameters are valid; otherwise it does not change images
    """

    aspect_ratio_range: tuple[float, float]
    area_range: tuple[float, float]
    max_attempts: int

    def __init__(self, **kwargs: Any) -> None:
        for name in ("aspect_ratio_range", "area_range"):
            kwargs[name] = _limits(kwargs[name], name, type(self).__name__)
        super().__init__(**kwargs)
        vars(self).update(kwargs)
        wrong = self._wrong()
        self.enabled = wrong is None
        if wrong is not None:
            where = type(self).__name__
            warnings.warn(f"Skip {where} due to invalid {wrong}: {kwargs[wrong]}", stacklevel=3)

    def _wrong(self) -> str | None:
        """The name of an invalid parameter, if any."""
        (least, most), ratios = self.area_range, self.aspect_ratio_range
        if most <= self._least_part or least > most:
            return "area_range"
        return "aspect_ratio_range" if ratios[0] > ratios[1] or ratios[0] <= 0 else None

    _least_part = 0.0  # a largest area must be larger

    def _shapes(self, height: int, width: int) -> Any:
        """Draw aspect ratios, with the least and the largest height for each."""
        if not self.enabled or height <= 0 or width <= 0:
            return
        least, most = (part * height * width for part in self.area_range)
        for _ in range(self.max_attempts):
            ratio = random.uniform(*self.aspect_ratio_range)
            if ratio > 0:
                yield ratio, round(sqrt(least / ratio)), round(sqrt(most / ratio))


def _height_between(least: int, most: int) -> int:
    """A random height; the largest, if that is less."""
    return most if least >= most else random.randint(least, most)


class DetRandomCropAug(_RandomWindow):
    """Cut out a rectangle that covers enough of the objects.

    Parameters
    ----------
    min_object_covered : the least fraction of each object in the rectangle, unless the object is outside
    aspect_ratio_range : the least and the largest ratio of width to height
    area_range : the least and the largest fraction of the image's area
    min_eject_coverage : objects of which a smaller fraction is inside are dropped from the label
    max_attempts : number of rectangles to try
    """

    min_object_covered: float
    min_eject_coverage: float

    def __init__(
        self,
        min_object_covered: float = 0.1,
        aspect_ratio_range: float | Sequence[float] = (0.75, 1.33),
        area_range: float | Sequence[float] = (0.05, 1.0),
        min_eject_coverage: float = 0.3,
        max_attempts: int = 50,
    ) -> None:
        super().__init__(
            min_object_covered=min_object_covered,
            aspect_ratio_range=aspect_ratio_range,
            area_range=area_range,
            min_eject_coverage=min_eject_coverage,
            max_attempts=max_attempts,
        )

    def __call__(self, src: Any, label: Any) -> Labelled:
        """Crop an image, (height, width, channels), and its label."""
        height, width = src.shape[:2]
        for window in self._windows(height, width):
            found = self._label_in(label, window, height, width)
            if found is not None:
                return fixed_crop(src, *window), found
        return src, label

    def _windows(self, height: int, width: int) -> Any:
        least, most = (part * height * width for part in self.area_range)
        for ratio, low, high in self._shapes(height, width):
            if round(high * ratio) > width:
                high = int((width + 0.4999999) / ratio)
            h = _height_between(low, min(high, height))
            if round(h * ratio) * h < least:
                h += 1
            if round(h * ratio) * h > most:
                h -= 1
            w = round(h * ratio)
            if least <= w * h <= most and 0 <= w <= width and 0 <= h <= height:
                y = random.randint(0, height - h)
                yield _Window(random.randint(0, width - w), y, w, h)

    def _label_in(self, label: Any, window: _Window, height: int, width: int) -> Any:
        """The label of a part of an image; None if the part does not cover enough of the objects."""
        x, y = window.x / width, window.y / height
        right, bottom = (window.x + window.width) / width, (window.y + window.height) / height
        whole = areas(label[:, 1:])
        large = whole * width * height > _LEAST_AREA
        seen = within(label[large, 1:], (x, y, right, bottom))
        if window.width * window.height < _LEAST_AREA or not self._shows(seen, whole[large]):
            return None
        w, h = window.width / width, window.height / height
        found = label.copy()
        found[:, 1:5] = np.clip(seen_from(label[:, 1:5], x, y, w, h), 0, 1)
        with np.errstate(invalid="ignore", divide="ignore"):  # objects without an area are dropped
            part = areas(found[:, 1:]) * w * h / whole
        there = (found[:, 3] > found[:, 1]) & (found[:, 4] > found[:, 2])
        found = found[there & (part > self.min_eject_coverage)]
        return found if len(found) else None

    def _shows(self, seen: Any, whole: Any) -> bool:
        """Whether enough of each object in the window is covered, given visible boxes and whole areas."""
        covered = areas(seen) / whole
        covered = covered[covered > 0]
        return covered.size > 0 and bool(covered.min() > self.min_object_covered)


class DetRandomPadAug(_RandomWindow):
    """Place an image at a random position in a larger one of one colour.

    Parameters
    ----------
    aspect_ratio_range : the least and the largest ratio of width to height of the larger one
    area_range : the least and the largest area of it, in areas of the image
    max_attempts : number of sizes to try
    pad_val : the colour, a number for each channel
    """

    _least_part = 1.0

    def __init__(
        self,
        aspect_ratio_range: float | Sequence[float] = (0.75, 1.33),
        area_range: float | Sequence[float] = (1.0, 3.0),
        max_attempts: int = 50,
        pad_val: Any = (128, 128, 128),
    ) -> None:
        super().__init__(
            aspect_ratio_range=aspect_ratio_range,
            area_range=area_range,
            max_attempts=max_attempts,
            pad_val=pad_val,
        )
        self.pad_val: Any = (pad_val,) * 3 if isinstance(pad_val, Number) else pad_val

    def __call__(self, src: Any, label: Any) -> Labelled:
        """Pad an image, (height, width, channels), and change its label accordingly."""
        height, width = src.shape[:2]
        window = next(self._windows(height, width), None)
        if window is None:
            return src, label
        x, y, w, h = window
        padded = copyMakeBorder(
            src, y, h - y - height, x, w - x - width, _ISOLATED, values=self.pad_val
        )
        found = label.copy()
        found[:, (1, 3)] = (label[:, (1, 3)] * width + x) / w
        found[:, (2, 4)] = (label[:, (2, 4)] * height + y) / h
        return padded, found

    def _windows(self, height: int, width: int) -> Any:
        for ratio, low, high in self._shapes(height, width):
            if round(low * ratio) < width:
                low = int((width + 0.499999) / ratio)
            h = _height_between(max(low, height), high)
            w = round(h * ratio)
            if h - height >= _LEAST_PADDING and w - width >= _LEAST_PADDING:
                y = random.randint(0, h - height)
                yield _Window(random.randint(0, w - width), y, w, h)
