"""Boxes in images: how cropping, flipping and resizing change them, and transforms of images with their boxes.

A box is a row of four numbers or more: left, top, right, bottom, and what else belongs to it.
"""

import math
import random
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gluonic import ndarray as nd
from gluonic.graph.array_semantics import is_np_array
from gluonic.graph.errors import AttributeValueError, describe
from gluonic.mxnet2 import numpy as mx_np
from gluonic.mxnet2.gluon.block import BlockOfTwo as Block

__all__ = [
    "ImageBboxCrop", "ImageBboxRandomCropWithConstraints", "ImageBboxRandomExpand",
    "ImageBboxRandomFlipLeftRight", "ImageBboxResize", "bbox_clip_xyxy", "bbox_crop", "bbox_flip", "bbox_iou",
    "bbox_random_crop_with_constraints", "bbox_resize", "bbox_translate", "bbox_xywh_to_xyxy",
    "bbox_xyxy_to_xywh",
]  # fmt: skip

Boxes = npt.NDArray[Any]
Window = tuple[int, int, int, int]
_OVERLAPS = ((0.1, None), (0.3, None), (0.5, None), (0.7, None), (0.9, None), (None, 1))


def bbox_crop(
    bbox: Boxes, crop_box: Sequence[Any] | None = None, allow_outside_center: bool = True
) -> Boxes:
    """Return the parts of boxes within a window, relative to it; boxes outside of it are left out.

    Parameters
    ----------
    bbox : the boxes, of shape ``(n, 4)`` or wider
    crop_box : left, top, width and height of the window; None for the image's own
    allow_outside_center : whether boxes stay whose centres are outside
    """
    if crop_box is None or all(number is None for number in crop_box):
        return bbox.copy()
    if len(crop_box) != 4:
        raise ValueError(f"crop_box has 4 numbers: left, top, width, height, not {len(crop_box)}")
    first = np.array([number or 0 for number in crop_box[:2]])
    end = first + [number or np.inf for number in crop_box[2:]]
    cut = bbox.copy()
    cut[:, :2] = np.maximum(bbox[:, :2], first) - first
    cut[:, 2:4] = np.minimum(bbox[:, 2:4], end) - first
    stays = (cut[:, :2] < cut[:, 2:4]).all(axis=1)
    if not allow_outside_center:
        centre = (bbox[:, :2] + bbox[:, 2:4]) / 2
        stays &= ((first <= centre) & (centre < end)).all(axis=1)
    return cut[stays]


def bbox_flip(
    bbox: Boxes, size: Sequence[float], flip_x: bool = False, flip_y: bool = False
) -> Boxes:
    """Return boxes of a flipped image.

    Parameters
    ----------
    bbox : the boxes, of shape ``(n, 4)`` or wider
    size : width and height of the image
    flip_x, flip_y : whether left and right, top and bottom are exchanged
    """
    _check_size("size", size)
    flipped = bbox.copy()
    for axis, is_flipped in enumerate((flip_x, flip_y)):
        if is_flipped:
            flipped[:, [axis, axis + 2]] = size[axis] - bbox[:, [axis + 2, axis]]
    return flipped


def bbox_resize(bbox: Boxes, in_size: Sequence[float], out_size: Sequence[float]) -> Boxes:
    """Return boxes of a resized image.

    Parameters
    ----------
    bbox : the boxes, of shape ``(n, 4)`` or wider
    in_size, out_size : width and height of the image before and after
    """
    _check_size("in_size", in_size)
    _check_size("out_size", out_size)
    resized = bbox.astype(float)
    resized[:, :4] *= np.tile(np.divide(out_size, in_size), 2)
    return resized


def bbox_translate(bbox: Boxes, x_offset: float = 0, y_offset: float = 0) -> Boxes:
    """Return boxes moved to the right and downwards.

    Parameters
    ----------
    bbox : the boxes, of shape ``(n, 4)`` or wider
    x_offset, y_offset : how far
    """
    moved = bbox.copy()
    moved[:, :4] += np.asarray((x_offset, y_offset) * 2, dtype=bbox.dtype)
    return moved


def bbox_iou(bbox_a: Boxes, bbox_b: Boxes, offset: float = 0) -> Boxes:
    """Return the area common to two boxes, relative to the area that they cover, for each pair.

    Parameters
    ----------
    bbox_a, bbox_b : boxes, of shapes ``(n, 4)`` and ``(m, 4)``
    offset : added to widths and heights, 1 for boxes of whole pixels
    """
    if bbox_a.shape[1] < 4 or bbox_b.shape[1] < 4:
        raise IndexError("boxes have four numbers at least")
    first = np.maximum(bbox_a[:, None, :2], bbox_b[:, :2])
    end = np.minimum(bbox_a[:, None, 2:4], bbox_b[:, 2:4])
    common = np.prod(end - first + offset, axis=2) * (first < end).all(axis=2)
    areas = [np.prod(one[:, 2:4] - one[:, :2] + offset, axis=1) for one in (bbox_a, bbox_b)]
    covered = areas[0][:, None] + areas[1] - common
    overlaps: Boxes = common / covered
    return overlaps


def bbox_xywh_to_xyxy(xywh: Any) -> Any:
    """Return boxes of left, top, width and height as left, top, right and bottom, in whole pixels.

    Parameters
    ----------
    xywh : one box as a list or a tuple, or an array of boxes
    """
    return _converted(xywh, lambda first, size: first + np.maximum(0, size - 1))


def bbox_xyxy_to_xywh(xyxy: Any) -> Any:
    """Return boxes of left, top, right and bottom as left, top, width and height; see `bbox_xywh_to_xyxy`."""
    return _converted(xyxy, lambda first, last: last - first + 1)


def bbox_clip_xyxy(xyxy: Any, width: float, height: float) -> Any:
    """Return boxes within an image.

    Parameters
    ----------
    xyxy : one box as a list or a tuple, or an array of boxes
    width, height : of the image
    """
    boxes = _as_boxes(xyxy)
    clipped = np.clip(boxes[:, :4], 0, np.tile((width - 1, height - 1), 2))
    return tuple(clipped[0].tolist()) if isinstance(xyxy, (list, tuple)) else clipped


def bbox_random_crop_with_constraints(
    bbox: Boxes,
    size: Sequence[int],
    min_scale: float = 0.3,
    max_scale: float = 1,
    max_aspect_ratio: float = 2,
    constraints: Iterable[tuple[float | None, float | None]] | None = None,
    max_trial: int = 50,
) -> tuple[Boxes, Window]:
    """Return boxes in a random window, and the window: left, top, width and height (Liu et al., 2016).

    Parameters
    ----------
    bbox : the boxes, of shape ``(n, 4)`` or wider
    size : width and height of the image
    min_scale, max_scale : the bounds of the window's size, relative to the image
    max_aspect_ratio : the bound of its width relative to its height, and the other way
    constraints : pairs of bounds of its overlaps with boxes, None for no bound; one window is tried for each
    max_trial : how many windows are drawn for each at most
    """
    width, height = size
    windows: list[Window] = [(0, 0, width, height)]
    for least, most in _OVERLAPS if constraints is None else constraints:
        for _ in range(max_trial):
            window = _random_window(width, height, (min_scale, max_scale), max_aspect_ratio)
            if not len(bbox):
                return bbox, window
            left, top, wide, high = window
            overlaps = bbox_iou(bbox, np.array([[left, top, left + wide, top + high]]))
            enough = least is None or least <= overlaps.min()
            if enough and (most is None or overlaps.max() <= most):
                windows.append(window)
                break
    while windows:
        window = windows.pop(random.randrange(len(windows)))
        cut = bbox_crop(bbox, window, allow_outside_center=False)
        if len(cut):
            return cut, window
    return bbox, (0, 0, width, height)


def _random_window(width: int, height: int, scales: tuple[float, float], bound: float) -> Window:
    scale = random.uniform(*scales)
    ratio = random.uniform(max(1 / bound, scale * scale), min(bound, 1 / (scale * scale)))
    wide, high = int(width * scale * math.sqrt(ratio)), int(height * scale / math.sqrt(ratio))
    return random.randint(0, width - wide), random.randint(0, height - high), wide, high


def _check_size(name: str, size: Sequence[float]) -> None:
    if len(size) != 2:
        raise ValueError(f"{name} has 2 numbers: width and height, not {len(size)}")


def _as_boxes(boxes: Any) -> Boxes:
    if not isinstance(boxes, (list, tuple, np.ndarray)):
        raise TypeError(f"boxes are a list, a tuple or an array, not {type(boxes).__name__}")
    array = np.atleast_2d(boxes)
    if array.shape[-1] < 4:
        raise IndexError(f"boxes have four numbers, not {array.shape[-1]}")
    return array


def _converted(boxes: Any, end: Any) -> Any:
    array = _as_boxes(boxes)
    converted = np.hstack([array[:, :2], end(array[:, :2], array[:, 2:4])])
    return tuple(converted[0].tolist()) if isinstance(boxes, (list, tuple)) else converted


def _as_array(boxes: Boxes) -> Any:
    return mx_np.array(boxes) if is_np_array() else nd.array(boxes)


def _check_image(img: Any) -> None:
    if len(img.shape) != 3:
        raise AttributeValueError(
            describe(
                "an image has three axes: height, width, channels", facts=[f"shape {img.shape}"]
            )
        )


class ImageBboxRandomFlipLeftRight(Block):
    """Exchange left and right of an image and its boxes, sometimes.

    Parameters
    ----------
    p : how often
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, img: Any, bbox: Any) -> Any:
        """Return an image of height, width and channels, and its boxes."""
        if random.random() >= self.p:
            return img, bbox
        boxes = bbox_flip(bbox.asnumpy(), (img.shape[-2], img.shape[-3]), flip_x=True)
        return nd.flip(img, axis=img.ndim - 2), _as_array(boxes)


class ImageBboxCrop(Block):
    """Cut a window out of an image and its boxes, where the image is larger.

    Parameters
    ----------
    crop : left, top, width and height of the window
    allow_outside_center : whether boxes stay whose centres are outside
    """

    def __init__(self, crop: Sequence[int], allow_outside_center: bool = False) -> None:
        super().__init__()
        if len(crop) != 4 or min(crop) < 0 or min(crop[2:]) < 1:
            raise AttributeValueError(
                f"ImageBboxCrop: crop is left, top, width and height, not {crop}"
            )
        self._crop, self._allow_outside_center = tuple(crop), allow_outside_center

    def forward(self, img: Any, bbox: Any) -> Any:
        """Return an image of height, width and channels, and its boxes."""
        left, top, width, height = self._crop
        if left + width >= img.shape[-2] or top + height >= img.shape[-3]:
            return img, bbox
        boxes = bbox_crop(bbox.asnumpy(), self._crop, self._allow_outside_center)
        return _cut(img, self._crop), _as_array(boxes)


class ImageBboxRandomCropWithConstraints(Block):
    """Cut a random window out of an image and its boxes; see `bbox_random_crop_with_constraints`.

    Parameters
    ----------
    p : how often
    min_scale, max_scale, max_aspect_ratio, constraints, max_trial : as in the function
    """

    def __init__(
        self,
        p: float = 0.5,
        min_scale: float = 0.3,
        max_scale: float = 1,
        max_aspect_ratio: float = 2,
        constraints: Iterable[tuple[float | None, float | None]] | None = None,
        max_trial: int = 50,
    ) -> None:
        super().__init__()
        self.p = p
        bounds = None if constraints is None else tuple(constraints)
        self._settings = (min_scale, max_scale, max_aspect_ratio, bounds, max_trial)

    def forward(self, img: Any, bbox: Any) -> Any:
        """Return an image of height, width and channels, and its boxes."""
        if random.random() > self.p:
            return img, bbox
        size = img.shape[-2], img.shape[-3]
        boxes, window = bbox_random_crop_with_constraints(bbox.asnumpy(), size, *self._settings)
        return (img, bbox) if window == (0, 0, *size) else (_cut(img, window), _as_array(boxes))


class ImageBboxRandomExpand(Block):
    """Put an image somewhere on a larger one, sometimes, and move its boxes with it.

    Parameters
    ----------
    p : how often
    max_ratio : the bound of the larger one's width and height, relative to the image
    fill : the pixels around the image, a number or one for each channel
    keep_ratio : whether both grow by the same factor
    """

    def __init__(
        self, p: float = 0.5, max_ratio: float = 4, fill: Any = 0, keep_ratio: bool = True
    ) -> None:
        super().__init__()
        self.p, self._max_ratio, self._fill, self._keep_ratio = p, max_ratio, fill, keep_ratio

    def forward(self, img: Any, bbox: Any) -> Any:
        """Return an image of height, width and channels, and its boxes."""
        if self._max_ratio <= 1 or random.random() > self.p:
            return img, bbox
        _check_image(img)
        height, width, channels = img.shape
        wider = random.uniform(1, self._max_ratio)
        higher = wider if self._keep_ratio else random.uniform(1, self._max_ratio)
        size = int(height * higher), int(width * wider)
        top, left = random.randint(0, size[0] - height), random.randint(0, size[1] - width)
        pixels = np.empty((*size, channels), img.dtype)
        pixels[...] = self._fill
        pixels[top : top + height, left : left + width] = img.asnumpy()
        kind = mx_np if is_np_array() else nd
        boxes = bbox_translate(bbox.asnumpy(), left, top)
        return kind.array(pixels, dtype=img.dtype), _as_array(boxes)


class ImageBboxResize(Block):
    """Resize an image and its boxes.

    Parameters
    ----------
    width, height : its size afterwards
    interp : the interpolation, as in `image.imresize`; -1 for a random one
    """

    def __init__(self, width: int, height: int, interp: int = 1) -> None:
        super().__init__()
        self._size, self._interp = (width, height), interp

    def forward(self, img: Any, bbox: Any) -> Any:
        """Return an image of height, width and channels, and its boxes."""
        _check_image(img)
        interp = random.randint(0, 4) if self._interp == -1 else self._interp
        boxes = bbox_resize(bbox.asnumpy(), (img.shape[-2], img.shape[-3]), self._size)
        return nd.image.resize(img, self._size, False, interp), _as_array(boxes)


def _cut(img: Any, window: Sequence[int]) -> Any:
    left, top, width, height = window
    return nd.image.crop(img, x=left, y=top, width=width, height=height)
