"""`ImageDetRecordIter` returns MXNet's batches of images with objects."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gluonic as mx
from gluonic.graph.errors import AttributeValueError, FileFormatError, MXNetError
from gluonic.io.detection_labels import ImagePart, Limits, Objects
from tests.measured import detection_records as measured
from tests.measured.measure import agrees, numbers, read

MEASURED = read("detection_records")
FOUND = measured.cases(mx)


@pytest.mark.parametrize("case", [case for case in MEASURED if case != "parameters"])
def test_batches_are_those_of_mxnet(case: str) -> None:
    assert agrees(numbers(FOUND[case]()), MEASURED[case])


def test_all_parameters_of_mxnet_are_there() -> None:
    assert set(MEASURED["parameters"]) <= set(FOUND["parameters"]())


@pytest.fixture
def path(tmp_path: Path) -> str:
    return measured.write(mx, str(tmp_path))["path_imgrec"]


def batches(path: str, **settings: Any) -> mx.io.ImageDetRecordIter:
    given = {"data_shape": (3, 8, 10), "batch_size": 4, **settings}
    return mx.io.ImageDetRecordIter(path_imgrec=path, **given)


def test_inputs_are_described(path: str) -> None:
    found = batches(path, label_pad_width=40)
    assert found.provide_data == [mx.io.DataDesc("data", (4, 3, 8, 10))]
    assert found.provide_label == [mx.io.DataDesc("label", (4, 44))]
    assert isinstance(found, mx.io.MXDataIter)


def test_the_number_of_threads_changes_no_bit(path: str) -> None:
    settings = {"rand_crop_prob": 0.9, "min_crop_scales": (0.3,), "rand_mirror_prob": 0.5}
    few, many = (list(batches(path, preprocess_threads=n, **settings)) for n in (2, 5))
    for a, b in zip(few, many, strict=True):
        assert np.array_equal(a.data[0].asnumpy(), b.data[0].asnumpy())
        for ours, others in zip(a.label or (), b.label or (), strict=True):
            assert np.array_equal(ours.asnumpy(), others.asnumpy())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"label_pad_width": 3}, "label_pad_width=3 is less than the 21 numbers"),
        ({"min_crop_scales": (0.5, 0.6)}, "has not one value, nor 1"),
        ({"min_crop_scales": (1.0,)}, "must be 0 <= min < max <= 1"),
        ({"min_crop_overlaps": (0.5,), "max_crop_overlaps": (0.4,)}, "min_crop_overlaps must not"),
        ({"resize_mode": "somehow"}, "must be one of 'force', 'shrink', 'fit'"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any], message: str, path: str) -> None:
    with pytest.raises(AttributeValueError, match=message):
        batches(path, **settings)


def test_labels_of_another_width_are_refused(path: str) -> None:
    with pytest.raises(AttributeValueError, match="label_width is 9"):
        list(batches(path, label_width=9))


@pytest.mark.parametrize(
    "label",
    [
        *(3.0, [3, 5, 1], [2, 4, *range(8)], [2, 5, *range(7)], [1, 5, 0, 0, 0, 1, 1]),
        *([np.nan, 5, 0, 0, 0, 1, 1], [2, np.inf, 0, 0, 0, 1, 1]),
    ],
)
def test_labels_without_objects_are_refused(label: Any, tmp_path: Path) -> None:
    path = str(tmp_path / "a.rec")
    record = mx.recordio.MXRecordIO(path, "w")
    record.write(mx.recordio.pack_img((0, label, 0, 0), np.zeros((5, 5, 3), np.uint8)))
    record.close()
    with pytest.raises(FileFormatError, match=r"label.*\n.*the record at byte 0"):
        batches(path, batch_size=1).next()


@pytest.mark.parametrize("label", [[np.nan, 5, 0, 0, 0, 1, 1], [2, np.inf, 0, 0, 0, 1, 1]])
def test_labels_of_lists_need_a_header(label: list[float], tmp_path: Path) -> None:
    record = mx.recordio.pack_img((0, 0, 0, 0), np.zeros((5, 5, 3), np.uint8), img_fmt=".png")
    (tmp_path / "a.png").write_bytes(mx.recordio.unpack(record)[1])
    with pytest.raises(MXNetError, match="header is invalid"):
        mx.image.ImageDetIter(1, (3, 5, 5), imglist=[[label, "a.png"]], path_root=str(tmp_path))


BEGINS, LENGTHS = st.floats(0, 0.75, width=32), st.floats(0.125, 0.25, width=32)
CORNERS = st.tuples(BEGINS, BEGINS, LENGTHS, LENGTHS).map(
    lambda box: (box[0], box[1], box[0] + box[2], box[1] + box[3])
)


def objects(corners: list[tuple[float, ...]]) -> Objects:
    rows = [[kind, *found] for kind, found in enumerate(corners)]
    return Objects([2, 5, *np.ravel(rows)] if rows else [2, 5, 0, 1, 1, 0, 0])


@given(st.lists(CORNERS))
def test_mirroring_twice_changes_nothing(corners: list[tuple[float, ...]]) -> None:
    found = objects(corners)
    before = found.label()
    found.mirror()
    found.mirror()
    assert np.allclose(found.label(), before, atol=1e-6)


@given(st.lists(CORNERS, min_size=1), CORNERS, st.booleans())
def test_what_is_seen_from_a_part_lies_in_it(
    corners: list[tuple[float, ...]], part: tuple[float, ...], by_centre: bool
) -> None:
    left, top, right, bottom = map(np.float32, part)
    found = objects(corners)
    count = len(found.rows)
    box, everything = ImagePart(left, top, right - left, bottom - top), ((0.0, 1.0),) * 3
    kept = found.crop(box, Limits(*everything), by_centre, 0.3)
    assert len(found.rows) <= count
    if kept:
        assert len(found.rows)
        assert (found.rows[:, 1:5] >= 0).all()
        assert (found.rows[:, 1:5] <= 1).all()


def test_an_example_trains_from_these_batches(path: str) -> None:
    batch = batches(path).next()
    labels: Any = batch.label
    rows = labels[0][:, 7:].asnumpy()[:, :18].reshape(4, -1, 6)
    found = mx.nd.array(rows[:, :, :5])
    anchors = mx.nd.contrib.MultiBoxPrior(batch.data[0], sizes=(0.3,), ratios=(1,))
    scores = mx.nd.zeros((4, 11, anchors.shape[1]))
    _, _, kinds = mx.nd.contrib.MultiBoxTarget(anchors, found, scores)
    assert kinds.asnumpy().max() > 0
