"""Drawings of images with the boxes around their objects."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gluonic.graph.opencv import required_opencv
from gluonic.image.standard_augmenters import by_channel

_WHITE = (255, 255, 255)
_LETTERS = 0.5  # font scale of their names, in OpenCV's units
_STROKE = 2  # thickness of the font's lines, in pixels
_MARGIN = 5  # the gap between a box and its name, in pixels


def unnormalized(image: Any, mean: Any, std: Any, clip: bool) -> Any:
    """Undo the normalization of an image; returns bytes.

    Parameters
    ----------
    image : (height, width, channels)
    mean, std : arrays with a number for each channel, True for those of ImageNet, or None
    clip : clip values to 0 … 255
    """
    mean, std = by_channel("mean", mean), by_channel("std", std)
    image = image if std is None else image * std
    image = image if mean is None else image + mean
    return (np.clip(image, 0, 255) if clip else image).astype(np.uint8)


def drawn(image: Any, label: Any, color: Any, thickness: int, id2labels: Mapping[int, str]) -> Any:
    """An image with boxes, blue first.

    Parameters
    ----------
    image : (height, width, 3), uint8, red first
    label : rows (class, left, top, right, bottom, …), in fractions of the image
    color : red, green, blue; None for a random one for each box
    thickness : the width of the lines, in pixels
    id2labels : names of classes
    """
    cv2 = required_opencv("ImageDetIter.draw_next")
    picture = np.ascontiguousarray(image[:, :, ::-1])
    height, width = picture.shape[:2]
    for number, *edges in label[:, :5].tolist():
        left, top, right, bottom = (
            int(edge * length) for edge, length in zip(edges, (width, height) * 2, strict=True)
        )
        if left < 0:
            continue
        line = (np.random.rand(3) * 255).tolist() if color is None else tuple(color[::-1])
        cv2.rectangle(picture, (left, top), (right, bottom), line, thickness)
        if (name := id2labels.get(int(number))) is not None:
            font = cv2.FONT_HERSHEY_SIMPLEX
            (_, rise), _ = cv2.getTextSize(name, font, _LETTERS, _STROKE)
            origin = (left + _MARGIN, top + rise + _MARGIN)
            cv2.putText(picture, name, origin, font, _LETTERS, _WHITE, _STROKE)
    return picture


def shown(picture: Any, window: str, milliseconds: int) -> None:
    """Show a picture in a window for some time; 0: until a key is pressed."""
    cv2 = required_opencv("ImageDetIter.draw_next(waitKey=)")
    cv2.imshow(window, picture)
    cv2.waitKey(milliseconds)
