"""The phases of a strided convolution's way back."""

from itertools import product

import numpy as np
import pytest

from gluonic.codegen.convolution.gradient_operators import interleave_phases
from gluonic.codegen.convolution.operators import subsample
from gluonic.codegen.convolution.phases import (
    emit_interleave,
    emit_subsample,
    padding_of,
    phases_of,
    position_count,
)
from gluonic.graph.ops.convolution_kernels import convolve_data
from gluonic.graph.ops.windows import Windows
from tests.codegen.harness import LEVELS, target_named
from tests.codegen.native_functions import Array, filled, normal, run_native

AXES = [
    (size, kernel, stride, dilate, pad)
    for size, kernel, stride, dilate, pad in product(
        (5, 6, 11), (1, 2, 3), (1, 2, 3), (1, 2, 3), (0, 1)
    )
    if pad < 1 + (kernel - 1) * dilate <= size + 2 * pad
]


def _by_phases(slopes: Array, taps: Array, axis: tuple[int, int, int, int, int]) -> Array:
    """The gradient of an axis of data."""
    phases = phases_of(*axis)
    assert phases == phases_of(
        axis[2], *axis[1:]
    )  # no size is asked of an axis longer than the stride
    before, behind = padding_of(phases, *axis[1:])
    padded = np.pad(slopes, (before, behind))
    result = np.zeros(axis[0], np.float32)
    for first, phase in enumerate(phases):
        if phase is None:
            continue
        for position in range(position_count(axis[0], first, axis[2])):
            for number in range(phase.taps):
                read = padded[before + phase.start + position + number * phase.dilate]
                tap = taps[phase.last - number * phase.step]
                result[first + position * axis[2]] += read * tap
    return result


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_phases_sum_what_was_read_from_each_position(axis: tuple[int, int, int, int, int]) -> None:
    size, kernel, stride, dilate, pad = axis
    windows = Windows((1, kernel), (1, stride), (1, dilate), (0, pad), False)
    taps = normal(1, 1, 1, kernel)
    slopes = normal(1, 1, 1, windows.counts((1, size))[1])
    expected = convolve_data(slopes, taps, (1, 1, 1, size), windows, 1)
    found = _by_phases(slopes.ravel(), taps.ravel(), axis)
    np.testing.assert_allclose(found, expected.ravel(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("level", LEVELS)
def test_phases_are_interleaved(level: str) -> None:
    target = target_named(level)
    lanes = target.vector_bytes // 4
    steps, present, extents = (2, 3), (1, 0, 1, 0, 1, 1), (7, 8)
    phases = [
        normal(2, 3, -(-(extents[0] - i) // steps[0]), -(-(extents[1] - j) // steps[1]), lanes)
        for (i, j), there in zip(np.ndindex(*steps), present, strict=True)
        if there
    ]
    goal = filled(2, 3, *extents, lanes)
    run_native(
        target,
        lambda module, name: emit_interleave(module, name, steps, present),
        [*phases, goal],
        extents,
        6,
    )
    expected = interleave_phases.kernel(
        *phases, np.empty((*extents, 0)), num_args=len(phases) + 1, steps=steps, present=present
    )
    np.testing.assert_array_equal(goal, expected)


@pytest.mark.parametrize("level", LEVELS)
def test_images_are_subsampled(level: str) -> None:
    target = target_named(level)
    images = normal(2, 3, 7, 8, target.vector_bytes // 4)
    expected = subsample.kernel(images, steps=(2, 3))
    goal = filled(*expected.shape)
    run_native(
        target,
        lambda module, name: emit_subsample(module, name, (2, 3)),
        [images, goal],
        images.shape[2:4],
        6,
    )
    np.testing.assert_array_equal(goal, expected)
