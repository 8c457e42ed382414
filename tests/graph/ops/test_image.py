"""Images: OpenCV's conventions of resampling, colours, and what is refused."""

from typing import Any

import numpy as np
import pytest

import gluonic as mx
from gluonic.graph.errors import InferenceError
from gluonic.graph.ops import image
from tests.cases import over
from tests.graph.applying import apply, infer_shapes
from tests.measured import image_operators
from tests.measured.measure import agrees, numbers, read

MEASURED = read("image_operators")


@pytest.mark.parametrize("by_opencv", [True, False], ids=["by OpenCV", "by own code"])
@over("case", image_operators.CASES)
def test_an_operator_computes_what_mxnet_computes(
    case: str, by_opencv: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not by_opencv:
        monkeypatch.setattr(image, "opencv", lambda: None)
    assert agrees(numbers(image_operators.run(mx, case)), MEASURED[case])


LINE = np.array([10, 200, 30, 90], np.uint8).reshape(1, 4, 1)
IMAGE = np.random.Generator(np.random.Philox(1)).integers(0, 256, (6, 7, 3), np.uint8)


def test_to_tensor_puts_channels_first_and_scales() -> None:
    found = apply("_image_to_tensor", IMAGE)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, IMAGE.transpose(2, 0, 1) / 255, rtol=1e-6)
    assert apply("_image_to_tensor", IMAGE[None]).shape == (1, 3, 6, 7)
    assert infer_shapes("_image_to_tensor", [None], [(3, 4, 5)])[0] == (4, 5, 3)


@pytest.mark.parametrize(
    ("width", "kind", "expected"),
    [
        (8, 0, [10, 10, 200, 200, 30, 30, 90, 90]),
        (8, 1, [10, 58, 153, 158, 73, 45, 75, 90]),
        (8, 2, [0, 59, 175, 179, 69, 26, 70, 96]),
        (8, 3, [10, 10, 200, 200, 30, 30, 90, 90]),
        (8, 4, [0, 64, 180, 180, 73, 16, 61, 106]),
        (2, 1, [105, 60]),
        (3, 3, [58, 115, 75]),
        (3, 1, [42, 115, 80]),
    ],
)
def test_bytes_are_resampled_as_by_opencv(width: int, kind: int, expected: list[int]) -> None:
    """The numbers are those of MXNet 1.9.1, which calls OpenCV 3.4.2."""
    found = apply("_image_resize", LINE, size=(width, 1), interp=kind)
    assert found.ravel().tolist() == expected


@pytest.mark.parametrize("kind", range(5))
def test_resampling_keeps_constant_images_and_their_size(kind: int) -> None:
    flat = np.full((5, 4, 3), 7.0, np.float32)
    for size in ((2, 3), (9, 8), (4, 9)):
        found = apply("_image_resize", flat, size=size, interp=kind)
        np.testing.assert_allclose(found, np.full((size[1], size[0], 3), 7.0), rtol=1e-5)
    np.testing.assert_array_equal(apply("_image_resize", IMAGE, size=(7, 6), interp=kind), IMAGE)


def test_proportions_can_be_kept() -> None:
    assert apply("_image_resize", IMAGE, size=3, keep_ratio=True).shape == (3, 3, 3)
    wide = np.zeros((4, 10, 1), np.float32)
    assert apply("_image_resize", wide, size=2, keep_ratio=True).shape == (2, 5, 1)
    assert infer_shapes("_image_resize", [(None, 5, 3)], size=(2, 7))[1] == (7, 2, 3)


def test_a_third_of_a_turn_exchanges_the_colours() -> None:
    third = {"min_factor": 1 / 3, "max_factor": 1 / 3}
    turned = apply("_image_random_hue", IMAGE, **third)
    np.testing.assert_allclose(turned, IMAGE[..., [2, 0, 1]], atol=1)


def test_random_flips_flip_sometimes() -> None:
    same = np.stack([IMAGE, IMAGE])[0]
    found = apply("_image_random_flip_left_right", same)
    assert any(np.array_equal(found, each) for each in (IMAGE, IMAGE[:, ::-1]))


@pytest.mark.parametrize(
    ("name", "shape", "attributes", "message"),
    [
        ("_image_to_tensor", (5, 7), {}, "3 or 4 dimensions"),
        ("_image_normalize", (2, 4, 5), {"mean": 0, "std": 1}, "1 or 3 channels, not 2"),
        ("_image_normalize", (3, 4, 5), {"mean": (1, 2), "std": 1}, "mean has 2 numbers"),
        (
            "_image_crop",
            (5, 7, 3),
            {"x": 5, "y": 0, "width": 3, "height": 5},
            "does not lie inside",
        ),
        (
            "_image_crop",
            (5, 7, 3),
            {"x": 0, "y": 0, "width": 0, "height": 5},
            "does not lie inside",
        ),
        ("_image_flip_left_right", (2, 5, 7, 3), {}, "3 dimensions"),
        ("_image_resize", (5, 7, 3), {}, "one or two positive numbers"),
        ("_image_resize", (5, 7, 3), {"size": 4, "interp": 9}, "interp is 9"),
    ],
)
def test_data_other_than_images_are_refused(
    name: str, shape: Any, attributes: Any, message: str
) -> None:
    with pytest.raises(InferenceError, match=message):
        apply(name, np.zeros(shape, np.float32), **attributes)


def test_whole_numbers_other_than_bytes_cannot_be_resized() -> None:
    with pytest.raises(InferenceError, match="int32 cannot be resized"):
        apply("_image_resize", IMAGE.astype(np.int32), size=3)
