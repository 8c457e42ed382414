"""Sampling images at positions, grids of positions, Fourier transforms and sketches."""

from typing import Any

import numpy as np
import pytest

from gluonic.graph.errors import InferenceError, OutOfRangeError
from tests.graph.applying import apply, infer_shapes
from tests.graph.samples.sample import uniform

IDENTITY = np.array([[1.0, 0, 0, 0, 1, 0]])
IMAGE = uniform(1, 2, 4, 5)
TRANSFORM = {"transform_type": "affine", "sampler_type": "bilinear"}


def test_the_identity_samples_the_image_itself() -> None:
    grid = apply("GridGenerator", IDENTITY, transform_type="affine", target_shape=(4, 5))
    np.testing.assert_allclose(apply("BilinearSampler", IMAGE, grid), IMAGE, atol=1e-12)
    found = apply("SpatialTransformer", IMAGE, IDENTITY, target_shape=(4, 5), **TRANSFORM)
    np.testing.assert_allclose(found, IMAGE, atol=1e-12)


def test_positions_between_pixels_are_interpolated_and_those_outside_fade_to_zero() -> None:
    line = np.array([1.0, 3.0]).reshape(1, 1, 1, 2)
    positions = np.array([-4.0, -2, -1, 0, 1, 2, 4])
    grid = np.stack([positions, 0 * positions]).reshape(1, 2, 1, -1)
    found = apply("BilinearSampler", line, grid)
    np.testing.assert_allclose(found.ravel(), [0, 0.5, 1, 2, 3, 1.5, 0])


def test_a_flow_moves_positions_by_pixels() -> None:
    flow = np.zeros((1, 2, 4, 5))
    flow[0, 0] = 1
    grid = apply("GridGenerator", flow, transform_type="warp")
    found = apply("BilinearSampler", IMAGE, grid)
    np.testing.assert_allclose(found[..., :-1], IMAGE[..., 1:], atol=1e-12)
    np.testing.assert_allclose(found[..., -1], 0, atol=1e-12)


def test_samplers_infer_shapes_both_ways() -> None:
    found = infer_shapes("BilinearSampler", [(None, 3, 4, 5), (2, None, 6, None)])
    assert found == [(2, 3, 4, 5), (2, 2, 6, None), (2, 3, 6, None)]
    settings: dict[str, Any] = {"target_shape": (6, 7), **TRANSFORM}
    found = infer_shapes("SpatialTransformer", [(2, 3, 4, 5), None], **settings)
    assert found[1] == (2, 6)


@pytest.mark.parametrize(
    ("name", "shapes", "attributes", "message"),
    [
        ("BilinearSampler", [(2, 3, 4, 5), (1, 2, 3, 3)], {}, "grid is"),
        (
            "GridGenerator",
            [(2, 5)],
            {"transform_type": "affine", "target_shape": (2, 2)},
            "data is",
        ),
        ("GridGenerator", [(2, 6)], {"transform_type": "affine"}, "two positive numbers"),
        ("GridGenerator", [(2, 3, 4, 4)], {"transform_type": "warp"}, "data is"),
    ],
)
def test_grids_that_do_not_fit(name: str, shapes: Any, attributes: Any, message: str) -> None:
    with pytest.raises(InferenceError, match=message):
        apply(name, *(np.zeros(shape) for shape in shapes), **attributes)


def test_transforms_are_those_of_numpy_and_undo_each_other() -> None:
    data = uniform(3, 6)
    found = apply("_contrib_fft", data)
    expected = np.fft.fft(data)
    np.testing.assert_allclose(found[:, ::2] + 1j * found[:, 1::2], expected, atol=1e-12)
    np.testing.assert_allclose(apply("_contrib_ifft", found), 6 * data, atol=1e-12)
    with pytest.raises(InferenceError, match="not a multiple of 2"):
        apply("_contrib_ifft", uniform(2, 5))


def test_sketches_add_signed_columns() -> None:
    data = np.arange(6.0).reshape(2, 3)
    columns, signs = np.array([[1.0, 0, 1]]), np.array([[1.0, -1, -1]])
    found = apply("_contrib_count_sketch", data, columns, signs, out_dim=2)
    np.testing.assert_array_equal(found, [[-1, -2], [-4, -2]])
    with pytest.raises(OutOfRangeError, match="index 2 is out of range"):
        apply("_contrib_count_sketch", data, columns + 1, signs, out_dim=2)
