"""Images are cropped, resized, turned and changed as the real MXNet does: the same seed, the same numbers."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gluonic as mx
from gluonic import image, nd
from gluonic.graph.errors import CallError, InferenceError
from tests.measured import augmented_images
from tests.measured.measure import agrees, numbers, read

MEASURED = read("augmented_images")


@pytest.mark.parametrize("case", augmented_images.cases(mx))
def test_images_and_draws_are_those_of_mxnet(case: str) -> None:
    tolerance = (
        2e-4 if "otat" in case else 2e-5
    )  # of positions, which MXNet computes in single precision
    assert agrees(numbers(augmented_images.cases(mx)[case]()), MEASURED[case], tolerance)


def picture(height: int = 6, width: int = 8) -> Any:
    pixels = np.random.default_rng(0).integers(0, 256, (height, width, 3))
    return nd.array(pixels, dtype="float32")


lengths = st.integers(1, 12)


@given(lengths, lengths, lengths, lengths)
def test_a_crop_lies_within_the_image_and_has_the_asked_size(
    height: int, width: int, h: int, w: int
) -> None:
    src = picture(height, width)
    for crop in (image.random_crop, image.center_crop):
        try:
            part, (x, y, wide, high) = crop(src, (w, h), 1)
        except InferenceError:  # one pixel of an image so narrow or flat, enlarged
            assert 0 in image.scale_down((width, height), (w, h))
            continue
        assert part.shape == (h, w, 3)
        assert 0 <= x <= width - wide
        assert 0 <= y <= height - high
        if (wide, high) == (w, h):
            assert (part.asnumpy() == src.asnumpy()[y : y + h, x : x + w]).all()


@pytest.mark.parametrize(
    "augmenter",
    [
        image.BrightnessJitterAug(0.5),
        image.ContrastJitterAug(0.5),
        image.SaturationJitterAug(0.5),
        image.LightingAug(0.5, np.ones(3), np.eye(3)),
        image.ColorNormalizeAug(np.array([1.0, 2, 3]), np.array([2.0, 2, 2])),
        image.ColorNormalizeAug(np.array([1.0]), None),
    ],
    ids=lambda augmenter: type(augmenter).__name__,
)
def test_colours_change_in_place(augmenter: Any) -> None:
    src, before = picture(), picture().asnumpy()
    assert augmenter(src) is src
    assert (src.asnumpy() != before).any()


@pytest.mark.parametrize("kind", [image.HueJitterAug, image.RandomGrayAug, image.HorizontalFlipAug])
def test_other_augmenters_leave_their_image_alone(kind: Any) -> None:
    src, before = picture(), picture().asnumpy()
    kind(1.0)(src)
    assert (src.asnumpy() == before).all()


@pytest.mark.parametrize(
    "augmenter",
    [image.ContrastJitterAug(0.5), image.SaturationJitterAug(0.5), image.HueJitterAug(0.5)],
)
@pytest.mark.parametrize("dtype", ["uint8", "float64"])
def test_colours_of_other_dtypes_are_refused(augmenter: Any, dtype: str) -> None:
    with pytest.raises(mx.MXNetError, match=r"float32|float64|uint8"):
        augmenter(picture().astype(dtype))


def test_colours_of_an_array_in_a_graph_are_not_changed_in_place() -> None:
    src = picture()
    src.attach_grad()
    with mx.autograd.record(), pytest.raises(mx.MXNetError, match="computational graph"):
        image.ContrastJitterAug(0.5)(src)


def test_a_compiled_net_sees_what_an_augmenter_wrote() -> None:
    layer = mx.gluon.nn.Dense(1, use_bias=False)
    layer.initialize()
    layer.hybridize()
    src = picture()
    layer(src)
    image.BrightnessJitterAug(0.5)(src)
    assert layer(src).asnumpy() == pytest.approx(
        src.asnumpy().reshape(6, -1) @ layer.weight.data().asnumpy().T, rel=1e-4
    )


def test_the_base_of_augmenters_does_nothing_itself() -> None:
    with pytest.raises(NotImplementedError, match="Augmenter"):
        image.Augmenter(size=3)(picture())


def test_an_old_name_of_the_area_is_known_and_others_are_refused() -> None:
    with pytest.warns(DeprecationWarning, match="area"):
        crop = image.RandomSizedCropAug((3, 3), 0.5, (1, 1), min_area=0.25)
    assert crop.area == 0.25
    with pytest.raises(CallError, match="areas"):
        image.random_size_crop(picture(), (3, 3), 0.5, (1, 1), areas=1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"rand_resize": True}, "rand_crop"),
        ({"mean": 3.0}, "mean must be"),
        ({"std": np.ones(2)}, "std must be"),
    ],
)
def test_augmenters_that_make_no_sense_are_refused(arguments: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        image.CreateAugmenter((3, 4, 4), **arguments)
