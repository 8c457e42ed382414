"""Boxes in images: `gluon.contrib.data.vision.transforms.bbox` of MXNet 2.0."""

import random
from importlib import import_module
from typing import Any

import numpy
import pytest

from gluonic.mxnet2 import np

bbox: Any = import_module("gluonic.mxnet2.gluon.contrib.data.vision.transforms.bbox")
utils: Any = import_module("gluonic.mxnet2.gluon.contrib.data.vision.transforms.bbox.utils")
BOXES = numpy.array([[1.0, 2.0, 4.0, 5.0, 9.0], [0.0, 0.0, 2.0, 1.0, 8.0]])


def marked(boxes: Any, size: tuple[int, int]) -> Any:
    """An image whose pixels inside of the first box are 1."""
    width, height = size
    pixels = numpy.zeros((height, width, 1), "uint8")
    left, top, right, bottom = boxes[0, :4].astype(int)
    pixels[top:bottom, left:right] = 1
    return np.array(pixels, dtype="uint8")


@pytest.mark.parametrize(
    "transform",
    [
        bbox.ImageBboxRandomFlipLeftRight(1),
        bbox.ImageBboxCrop((1, 1, 4, 5), allow_outside_center=True),
        bbox.ImageBboxResize(12, 14, interp=0),
        bbox.ImageBboxRandomExpand(1, max_ratio=2),
        bbox.ImageBboxRandomCropWithConstraints(1),
    ],
    ids=lambda transform: type(transform).__name__,
)
def test_boxes_go_where_their_pixels_go(transform: Any) -> None:
    random.seed(3)
    image, boxes = transform(marked(BOXES, (6, 7)), np.array(BOXES[:1]))
    expected = marked(boxes.asnumpy(), (image.shape[1], image.shape[0]))
    numpy.testing.assert_array_equal(image.asnumpy(), expected.asnumpy())
    assert boxes[0, 4].item() == 9.0


def test_boxes_outside_of_a_window_are_left_out() -> None:
    cut = utils.bbox_crop(BOXES, (1, 1, None, None), allow_outside_center=False)
    assert cut.tolist() == [[0.0, 1.0, 3.0, 4.0, 9.0]]
    assert utils.bbox_crop(BOXES).tolist() == BOXES.tolist()
    assert utils.bbox_flip(BOXES, (6, 7), flip_y=True)[0, :4].tolist() == [1.0, 2.0, 4.0, 5.0]
    assert utils.bbox_translate(BOXES, 1, -1)[1].tolist() == [1.0, -1.0, 3.0, 0.0, 8.0]


def test_overlaps_are_relative_to_what_both_boxes_cover() -> None:
    first = numpy.array([[0, 0, 2, 2], [5, 5, 6, 6]])
    second = numpy.array([[1, 1, 3, 3]])
    assert utils.bbox_iou(first, second).tolist() == [[1 / 7], [0.0]]


def test_forms_of_boxes_are_each_others_inverse() -> None:
    box = (2, 3, 4, 6)
    assert utils.bbox_xywh_to_xyxy(utils.bbox_xyxy_to_xywh(box)) == box
    rows = numpy.array([box, (0, 0, 1, 1)])
    assert utils.bbox_xywh_to_xyxy(utils.bbox_xyxy_to_xywh(rows)).tolist() == rows.tolist()
    assert utils.bbox_clip_xyxy([-1, 2, 30, 5], 10, 4) == (0, 2, 9, 3)
    with pytest.raises(IndexError, match="four numbers"):
        utils.bbox_xyxy_to_xywh([1, 2])
    with pytest.raises(ValueError, match="width and height"):
        utils.bbox_flip(BOXES, (3,))
