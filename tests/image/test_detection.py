"""Images with objects: their boxes follow what augmenters do; labels are checked, filled up and drawn."""

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import gluonic as mx
from gluonic import image, nd
from gluonic.image import boxes
from tests.measured import image_iterators

edges = arrays(np.float64, (5, 4), elements=st.floats(0, 1, width=16))


@given(edges, st.floats(0, 0.5), st.floats(0.6, 1))
def test_parts_of_boxes_lie_in_the_window_and_are_no_larger(
    found: Any, low: float, high: float
) -> None:
    parts = boxes.within(found, (low, low, high, high))
    assert (boxes.areas(parts) <= boxes.areas(found) + 1e-12).all()
    there = parts.any(axis=1)
    assert ((parts[there] >= low) & (parts[there] <= high)).all()


@given(edges)
def test_boxes_seen_from_a_window_and_back_are_the_same(found: Any) -> None:
    seen = boxes.seen_from(found, 0.25, 0.5, 0.5, 0.25)
    back = boxes.seen_from(seen, -0.5, -2, 2, 4)
    assert back == pytest.approx(found)


def scene() -> tuple[Any, Any]:
    """A black image with a white rectangle, and its label."""
    pixels = np.zeros((40, 50, 3), np.float32)
    pixels[10:30, 5:25] = 255
    return nd.array(pixels), np.array([[1, 0.1, 0.25, 0.5, 0.75]], np.float32)


@pytest.mark.parametrize(
    "augmenter",
    [
        image.DetHorizontalFlipAug(1),
        image.DetRandomCropAug(min_object_covered=0.5, area_range=(0.3, 0.8)),
        image.DetRandomPadAug(pad_val=(0, 0, 0)),
        image.DetBorrowAug(image.ForceResizeAug((80, 60), 0)),
    ],
    ids=lambda augmenter: type(augmenter).__name__,
)
def test_boxes_stay_around_their_objects(augmenter: Any) -> None:
    for _ in range(10):
        changed, label = augmenter(*scene())
        white = np.argwhere(changed.asnumpy()[..., 0] > 128)
        (top, left), (bottom, right) = white.min(axis=0), white.max(axis=0) + 1
        height, width = changed.shape[:2]
        found = label[0, 1:] * (width, height, width, height)
        assert found == pytest.approx([left, top, right, bottom], abs=1.01)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: image.DetBorrowAug(cast(Any, 3)), "no Augmenter"),
        (lambda: image.DetRandomSelectAug([image.CastAug()]), "no DetAugmenter"),
        (
            lambda: image.CreateMultiRandCropAugmenter([0.1, 0.2], max_attempts=[1, 2, 3]),
            "lists of",
        ),
    ],
)
def test_augmenters_that_make_no_sense_are_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("kind", [image.DetRandomCropAug, image.DetRandomPadAug])
@pytest.mark.parametrize("setting", [{"area_range": (3, 2)}, {"aspect_ratio_range": (-1, 2)}])
def test_augmenters_with_invalid_limits_warn_and_do_nothing(kind: Any, setting: Any) -> None:
    with pytest.warns(UserWarning, match=next(iter(setting))):
        augmenter = kind(**setting)
    src, label = scene()
    assert augmenter(src, label) == (src, label)


def test_the_base_of_augmenters_does_nothing_itself() -> None:
    with pytest.raises(NotImplementedError, match="DetAugmenter"):
        image.DetAugmenter()(*scene())


def sources(folder: Path, labels: list[Any] | None = None) -> dict[str, Any]:
    """Arguments of iterators over grey pictures with objects."""
    labels = labels or [image_iterators.objects(n) for n in range(4)]
    contents = [image_iterators.png(np.full((8, 9, 3), 60, np.uint8))] * len(labels)
    return image_iterators.written(mx, folder, contents, labels)


def test_labels_are_filled_up(tmp_path: Path) -> None:
    iterator: Any = image.ImageDetIter(4, (3, 8, 9), **sources(tmp_path)["rec"])
    labels = iterator.next().label[0].asnumpy()
    assert labels.shape == (4, *iterator.label_shape) == (4, 3, 5)
    assert (labels == -1).all(axis=2).sum(axis=1).tolist() == [2, 1, 0, 2]


def test_iterators_get_one_shape_of_labels(tmp_path: Path) -> None:
    given = sources(tmp_path)["list"]
    few: Any = image.ImageDetIter(2, (3, 8, 9), **{**given, "imglist": given["imglist"][:1]})
    many: Any = image.ImageDetIter(2, (3, 8, 9), **given)
    assert few.label_shape == (1, 5)
    assert many.sync_label_shape(few, verbose=True) is few
    assert few.label_shape == many.label_shape == (3, 5)
    assert few.provide_label == [("label", (2, 3, 5))]
    assert few.next().label[0].shape == (2, 3, 5)


def test_shapes_are_changed_but_not_to_what_labels_do_not_fit_into(tmp_path: Path) -> None:
    iterator: Any = image.ImageDetIter(2, (3, 8, 9), **sources(tmp_path)["list"])
    iterator.reshape((3, 8, 9), (6, 5))
    assert iterator.next().label[0].shape == (2, 6, 5)
    for shape, words in (((5, 5), "reduce"), ((6, 6), "width"), ((6,), "length 2")):
        with pytest.raises(ValueError, match=words):
            iterator.reshape(label_shape=shape)


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ([2, 5, 0], "invalid"),
        ([2, 5, 0, 0.1, 0.1, 0.2], "invalid|inconsistent"),
        ([2, 5, 0, 0.1, 0.1, 0.2, 0.2, 7], "inconsistent"),
        ([2, 0, 0, 0.1, 0.1, 0.2, 0.2], "inconsistent"),
        ([2, 5, 0, 0.2, 0.2, 0.1, 0.1], "no valid label"),
    ],
)
def test_labels_that_describe_no_objects_are_refused(
    tmp_path: Path, label: Any, words: str
) -> None:
    with pytest.raises(mx.MXNetError, match=words):
        image.ImageDetIter(1, (3, 8, 9), **sources(tmp_path, [label])["list"])


def test_boxes_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("cv2")
    label = [2, 5, 1, 0.25, 0.25, 0.75, 0.75]
    iterator: Any = image.ImageDetIter(
        1, (3, 80, 80), **sources(tmp_path, [label])["list"], mean=True
    )
    pictures = list(iterator.draw_next((10, 200, 30), 1, mean=True, id2labels={1: "cat"}))
    assert len(pictures) == 1
    picture = pictures[0]
    assert picture.shape == (80, 80, 3)
    assert picture.dtype == np.uint8
    assert picture[20, 40].tolist() == picture[60, 40].tolist() == [30, 200, 10]
    assert picture[70, 70].tolist() == pytest.approx([60, 60, 60], abs=1)
    assert (picture == 255).all(axis=2).any()
