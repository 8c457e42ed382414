"""Finding objects: small cases that can be checked by hand, partial shapes and errors."""

from typing import Any

import numpy as np
import pytest

from gluonic.graph.errors import InferenceError, MXNetError
from tests.graph.applying import apply, infer_shapes

UNIT = np.array([0.0, 0, 1, 1])
NEAR = np.array([0.0, 0, 1, 0.8])
FAR = np.array([2.0, 2, 3, 3])
ROWS = np.array([[0, 0.5, *NEAR], [1, 0.9, *UNIT], [0, 0.7, *FAR], [1, 0.1, *UNIT]])


def test_overlap_is_shared_by_covered_area() -> None:
    found = apply("_contrib_box_iou", np.stack([UNIT, FAR]), np.stack([NEAR, UNIT, UNIT * 0]))
    np.testing.assert_allclose(found, [[0.8, 1.0, 0.0], [0.0, 0.0, 0.0]])
    centered = np.array([[0.5, 0.5, 1, 1]])
    np.testing.assert_allclose(apply("_contrib_box_iou", centered, centered, format="center"), 1)


def test_suppression_keeps_the_best_and_fills_up_with_minus_one() -> None:
    found = apply("_contrib_box_nms", ROWS, overlap_thresh=0.5)
    np.testing.assert_array_equal(found, [ROWS[1], ROWS[2], [-1] * 6, [-1] * 6])
    by_class = apply("_contrib_box_nms", ROWS, overlap_thresh=0.5, id_index=0)
    np.testing.assert_array_equal(by_class[:, 1], [0.9, 0.7, 0.5, -1])
    strict = apply("_contrib_box_nms", ROWS, overlap_thresh=0.8, valid_thresh=0.1)
    np.testing.assert_array_equal(strict[:, 1], [0.9, 0.7, 0.5, -1])


def test_suppression_changes_the_format() -> None:
    found = apply("_contrib_box_nms", ROWS, out_format="center", topk=2)
    np.testing.assert_allclose(found[:2, 2:], [[0.5, 0.5, 1, 1], [2.5, 2.5, 1, 1]])


def test_matching_takes_the_best_pair_first() -> None:
    """The numbers are those of MXNet's documentation, checked with 1.9.1."""
    scores = np.array([[0.5, 0.6], [0.1, 0.2], [0.3, 0.4]])
    rows, columns = apply("_contrib_bipartite_matching", scores, threshold=1e-12)
    assert rows.tolist() == [1, -1, 0]
    assert columns.tolist() == [2, 0]


def test_encoding_is_undone_by_decoding() -> None:
    anchors = np.array([[[0.1, 0.1, 0.5, 0.4], [0.2, 0.3, 0.9, 0.8]]])
    boxes = np.array([[[0.2, 0.1, 0.6, 0.7], [0.3, 0.3, 0.5, 0.6]]])
    stds = np.array([0.1, 0.1, 0.2, 0.2])
    targets, masks = apply(
        "_contrib_box_encode", np.ones((1, 2)), np.array([[1.0, 0]]), anchors, boxes, stds * 0, stds
    )
    assert masks.all()
    decoded = apply(
        "_contrib_box_decode", targets, anchors, std0=0.1, std1=0.1, std2=0.2, std3=0.2,
        format="corner",
    )  # fmt: skip
    np.testing.assert_allclose(decoded, boxes[:, ::-1])


def test_default_boxes_lie_around_the_pixels() -> None:
    found = apply("_contrib_MultiBoxPrior", np.zeros((1, 3, 1, 2)), sizes=(0.5,), ratios=(1, 4))
    quarter = 0.5 / 4
    np.testing.assert_allclose(found[0, 0], [0.25 - quarter / 1, 0.25, 0.25 + quarter, 0.75])
    np.testing.assert_allclose(found[0, 1], [0.25 - 2 * quarter, 0.375, 0.25 + 2 * quarter, 0.625])
    assert found.shape == (1, 4, 4)


def test_targets_and_detections_agree() -> None:
    anchors = np.array([[UNIT / 2, FAR / 4, NEAR / 8]])
    label = np.array([[[3, *(UNIT / 2 + 0.02)], [-1] * 5]])
    location, mask, kinds = apply("_contrib_MultiBoxTarget", anchors, label, np.zeros((1, 5, 3)))
    np.testing.assert_array_equal(kinds, [[4, 0, 0]])
    np.testing.assert_array_equal(mask, [[1] * 4 + [0] * 8])
    probabilities = np.zeros((1, 5, 3))
    probabilities[0, 0], probabilities[0, :, 0] = 1, [0, 0, 0, 0, 1]
    found = apply("_contrib_MultiBoxDetection", probabilities, location, anchors)
    np.testing.assert_allclose(found[0, 0], [3, 1, *label[0, 0, 1:]], rtol=1e-6)
    np.testing.assert_array_equal(found[0, 1:], -1)


def test_hard_negatives_are_those_least_like_background() -> None:
    anchors = np.array([[UNIT / 2, FAR / 4, NEAR / 8, FAR / 5]])
    label = np.array([[[0, *(UNIT / 2)]]])
    scores = np.array([[[0.0, 5, 1, 3], [1.0, 0, 0, 0]]])
    settings = {"negative_mining_ratio": 2, "ignore_label": -7}
    *_, kinds = apply("_contrib_MultiBoxTarget", anchors, label, scores, **settings)
    np.testing.assert_array_equal(kinds, [[1, -7, 0, 0]])


def test_proposals_are_the_best_anchors_that_do_not_overlap() -> None:
    scores = np.zeros((1, 2, 2, 2))
    scores[0, 1] = [[0.1, 0.9], [0.2, 0.3]]
    info = np.array([[32.0, 32, 1]])
    settings = {"scales": (1,), "ratios": (1,), "rpn_post_nms_top_n": 5, "rpn_min_size": 0}
    boxes, found = apply(
        "_contrib_Proposal", scores, np.zeros((1, 4, 2, 2)), info, output_score=True, **settings
    )
    np.testing.assert_array_equal(boxes[:2], [[0, 16, 0, 31, 15], [0, 16, 16, 31, 31]])
    np.testing.assert_allclose(found.ravel(), [0.9, 0.3, 0.2, 0.1, 0.9], rtol=1e-6)
    with pytest.raises(MXNetError, match="features cover only 32x32"):
        apply("_contrib_Proposal", scores, np.zeros((1, 4, 2, 2)), info + 16, **settings)
    with pytest.raises(InferenceError, match="need 4 channels of cls_prob, not 2"):
        infer_shapes(
            "_contrib_Proposal", [(1, 2, 2, 2), None, None], [None] * 2, scales=(1, 2), ratios=(1,)
        )


IMAGE = np.arange(48.0).reshape(1, 1, 8, 6)


@pytest.mark.parametrize(
    ("scale", "expected"), [(1.0, [[14, 16], [26, 28]]), (0.7, [[7, 9], [19, 21]])]
)
def test_region_pooling_takes_maxima(scale: float, expected: Any) -> None:
    """The numbers are those of MXNet's documentation, checked with 1.9.1."""
    region = np.array([[0.0, 0, 0, 4, 4]])
    found = apply("ROIPooling", IMAGE, region, pooled_size=(2, 2), spatial_scale=scale)
    np.testing.assert_array_equal(found[0, 0], expected)


def test_a_rotated_region_is_the_region_of_a_rotated_image() -> None:
    region = np.array([[0.0, 2.5, 3.5, 4, 2, 90]])
    settings = {"pooled_size": (2, 4), "spatial_scale": 1, "sampling_ratio": 1}
    found = apply("_contrib_RROIAlign", IMAGE, region, **settings)
    straight = np.array([[0.0, 2.5, 3.5, 2, 4, 0]])
    settings["pooled_size"] = (4, 2)
    expected = apply("_contrib_RROIAlign", IMAGE, straight, **settings)
    np.testing.assert_allclose(found[0, 0], expected[0, 0, ::-1].T, rtol=1e-12)


def test_each_part_of_a_region_comes_from_its_own_channel() -> None:
    channels = np.arange(4.0).reshape(1, 4, 1, 1) * np.ones((1, 4, 6, 6))
    settings = {"spatial_scale": 1, "output_dim": 1, "pooled_size": 2}
    found = apply("_contrib_PSROIPooling", channels, np.array([[0.0, 0, 0, 5, 5]]), **settings)
    np.testing.assert_array_equal(found[0, 0], [[0, 1], [2, 3]])


def test_regions_of_no_image_are_zero() -> None:
    regions = np.array([[5.0, 0, 0, 3, 3], [-1, 0, 0, 3, 3]])
    for name in ("ROIPooling", "_contrib_ROIAlign"):
        assert not apply(name, IMAGE + 1, regions, pooled_size=(2, 2), spatial_scale=1).any()


def test_aligned_regions_average_planes_exactly() -> None:
    """The average of a linear function over a rectangle is its value in the middle."""
    region = np.array([[0.0, 1, 1, 4.5, 5]])
    found = apply(
        "_contrib_ROIAlign", IMAGE, region, pooled_size=(1, 1), spatial_scale=1, aligned=True
    )
    np.testing.assert_allclose(found, 6 * (3 - 0.5) + (2.75 - 0.5))


def test_shapes_are_inferred_from_each_other() -> None:
    found = infer_shapes("_contrib_box_decode", [(2, 5, 4), None])
    assert found == [(2, 5, 4), None, None]
    assert infer_shapes("_contrib_box_decode", [(2, 5, 4), (1, None, 4)])[1] == (1, 5, 4)
    found = infer_shapes("_contrib_MultiBoxDetection", [(2, 3, None), None, (1, 7, 4)])
    assert found == [(2, 3, 7), (2, 28), (1, 7, 4), (2, 7, 6)]
    assert infer_shapes("_contrib_box_nms", [(None, 5, 6)], [None, None])[1] == (None, 5, 6)


@pytest.mark.parametrize(
    ("name", "shapes", "attributes", "message"),
    [
        ("_contrib_box_iou", [(3, 4), (3, 5)], {}, "rhs is .3, 5. but must hold boxes"),
        ("_contrib_box_nms", [(3, 5)], {}, "rows of 5 numbers have no column 5"),
        ("_contrib_box_nms", [(3, 6)], {"score_index": 3}, "must be different columns"),
        ("_contrib_MultiBoxPrior", [(1, 3, 2, 2)], {"sizes": ()}, "at least one size"),
        ("_contrib_MultiBoxTarget", [(1, 3, 4), (2, 2, 4), (2, 2, 3)], {}, "a class and four"),
        ("ROIPooling", [(4, 5), (1, 5)], {"pooled_size": 2, "spatial_scale": 1}, "4 dimensions"),
        (
            "ROIPooling",
            [(1, 1, 4, 5), (1, 5)],
            {"pooled_size": (0, 2), "spatial_scale": 1},
            "two positive numbers",
        ),
    ],
)
def test_mismatched_shapes_are_refused(
    name: str, shapes: Any, attributes: Any, message: str
) -> None:
    with pytest.raises(InferenceError, match=message):
        apply(name, *(np.zeros(shape) for shape in shapes), **attributes)
