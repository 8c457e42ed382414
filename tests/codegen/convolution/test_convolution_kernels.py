"""The loops of convolutions, forward and back, against matrix products in NumPy."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from gluonic.codegen.convolution.filter_gradient import emit_filter_gradient
from gluonic.codegen.convolution.filter_packing import (
    FilterForm,
    Taps,
    emit_pack_turned_filters,
    filter_numbers,
    filter_units,
)
from gluonic.codegen.convolution.filters import Filters, Tile, lanes_of, tile_of
from gluonic.codegen.convolution.form import ConvolutionForm, numbers_of
from gluonic.codegen.convolution.forward import emit_convolution
from gluonic.codegen.convolution.geometry import Geometry, Strides
from gluonic.codegen.convolution.gradient_form import (
    GradientForm,
    gradient_numbers,
    gradient_units,
    specialized_extents,
)
from gluonic.codegen.convolution.operators import (
    packed_in_order,
    to_blocks,
    to_channel_blocks,
    to_planes,
)
from gluonic.codegen.convolution.tile import NOTHING, ConvolutionEpilogue
from gluonic.codegen.convolution.tiling import ConvolutionTiling, tiling_of
from gluonic.codegen.machine import jit
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.target import Target, cross
from gluonic.graph.ops.convolution_kernels import convolve, convolve_data, convolve_weight
from gluonic.graph.ops.windows import Windows
from tests.codegen.harness import LEVELS, target_named
from tests.codegen.native_functions import Array, filled, normal, run_native

CASES = {
    "3x3": (Filters(20, 35, 1, (3, 3)), 2, 9, 11),
    "1x1": (Filters(33, 16, 1, (1, 1)), 1, 5, 30),
    "rows and columns differ": (Filters(5, 40, 1, (1, 7), (1, 2), (1, 2)), 2, 6, 40),
    "strided": (Filters(16, 17, 1, (3, 3), (2, 3)), 1, 11, 40),
    "dilated": (Filters(18, 16, 1, (3, 3), (1, 1), (2, 3)), 1, 12, 19),
    "few channels": (Filters(3, 24, 1, (7, 7), (2, 2), planar=True), 2, 21, 33),
    "wide windows": (Filters(3, 40, 1, (11, 11), (4, 4), planar=True), 2, 31, 27),
    "one channel": (Filters(1, 20, 1, (5, 5), planar=True), 3, 12, 12),
    "groups": (Filters(6, 5, 3, (3, 3)), 2, 7, 9),
    "depthwise": (Filters(1, 37, 1, (3, 3), (1, 2), depthwise=True), 2, 9, 23),
    "one position": (Filters(4, 4, 1, (2, 2)), 1, 2, 2),
    "many tiny images": (Filters(12, 70, 1, (3, 3)), 70, 4, 5),
}
EVERY_CASE = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
EVERY_LEVEL = pytest.mark.parametrize("level", LEVELS)


class Problem:
    """A convolution with its arrays, in planes and as machine code has them.

    Rows above and below may be padding: zeros, or as machine code has them `padding_value`.
    """

    def __init__(
        self,
        case: tuple[Filters, int, int, int],
        target: Target,
        padding: tuple[int, int] = (0, 0),
        padding_value: float = 0.0,
    ) -> None:
        filters, batch, rows, columns = case
        self.inside, self.padding_value = (padding[0], rows - padding[1]), padding_value
        self.padded = padding != (0, 0)
        self.filters, self.target, self.lanes = filters, target, lanes_of(target)
        self.groups = filters.filters if filters.depthwise else filters.groups
        channels = filters.channels * self.groups
        self.windows = Windows(filters.kernel, filters.stride, filters.dilate, (0, 0), False)
        self.data = normal(batch, channels, rows, columns)
        self._set_padding(self.data, 0.0)
        self.weight = normal(filters.filters * filters.groups, filters.channels, *filters.kernel)
        self.output = convolve(self.data, self.weight, self.windows, self.groups)
        self.tiling = tiling_of(filters, self.output.shape[2], self.output.shape[3], target)

    def _set_padding(self, planes: Array, value: float) -> None:
        begin, end = self.inside
        planes[:, :, :begin] = planes[:, :, end:] = value

    def images(self, planes: Array, groups: int) -> Array:
        """Images as machine code reads them."""
        blocks: Array = to_blocks.kernel(planes, lanes=self.lanes, groups=groups)
        return blocks

    @property
    def source(self) -> Array:
        """The data as machine code reads it."""
        own = 1 if self.filters.depthwise else self.filters.groups
        data = self.data.copy()
        self._set_padding(data, self.padding_value)
        return data if self.filters.planar else self.images(data, own)

    def geometry(self, source: Array, goal: Array, others: int = 0) -> Geometry:
        """The run-time numbers."""
        lies = tuple(_strides(array) for array in (source, goal))
        return Geometry(
            goal.shape[0], goal.shape[2], goal.shape[3], lies[0], lies[1], (lies[1],) * others
        )

    def convolve(
        self,
        epilogue: ConvolutionEpilogue = NOTHING,
        *others: Array,
        tiling: ConvolutionTiling | None = None,
    ) -> Array:
        """Run the machine code; the output in planes."""
        tiling = tiling or self.tiling
        goal = filled(*self.images(self.output, self.filters.groups).shape)
        packed = packed_in_order(self.weight, self.filters, tiling.tile.blocks, self.lanes)
        geometry = self.geometry(self.source, goal, epilogue.elementwise)
        form = ConvolutionForm.of(self.filters, tiling, self.lanes, padded=self.padded)
        run_native(
            self.target,
            lambda module, name: emit_convolution(module, name, form, epilogue),
            [self.source, packed, goal, *others],
            numbers_of(self.filters, tiling, geometry, self.lanes, self.inside),
            geometry.units(self.filters, tiling, self.lanes),
        )
        return self.planes(goal)

    def planes(self, goal: Array) -> Array:
        """The output in planes."""
        found: Array = to_planes.kernel(
            goal, channels=self.output.shape[1], groups=self.filters.groups
        )
        return found


def _strides(array: Array) -> Strides:
    lanes = array.shape[4] if array.ndim == 5 else 1
    return Strides.of(array.shape[1], array.shape[2], array.shape[3], lanes)


def assert_close(found: Array, expected: Array) -> None:
    """Up to the rounding of sums in another order."""
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5 * np.abs(expected).max())


@EVERY_LEVEL
@EVERY_CASE
def test_sums_are_those_of_matrix_products(case: Any, level: str) -> None:
    problem = Problem(case, target_named(level))
    assert_close(problem.convolve(), problem.output)


@EVERY_LEVEL
@pytest.mark.parametrize("padding", [(1, 2), (0, 1), (2, 0), (4, 3)])
@pytest.mark.parametrize(
    "case", ["3x3", "strided", "dilated", "few channels", "one channel", "groups", "depthwise"]
)
def test_rows_of_padding_are_not_even_read_if_tiles_have_one_row(
    case: str, padding: tuple[int, int], level: str
) -> None:
    problem = Problem(CASES[case], target_named(level), padding, padding_value=np.nan)
    blocks = 1 if problem.filters.depthwise else 2
    tiling = _tiling(problem, Tile(1, 4, blocks), 0, 1, 3, 2)
    assert_close(problem.convolve(tiling=tiling), problem.output)


@EVERY_LEVEL
@EVERY_CASE
def test_padding_changes_no_sums(case: Any, level: str) -> None:
    problem = Problem(case, target_named(level), padding=(1, 2))
    assert_close(problem.convolve(), problem.output)


def _tiling(problem: Problem, tile: Tile, segment: int, *rest: int) -> ConvolutionTiling:
    rows, columns = problem.output.shape[2:]
    if segment:
        rows, columns = 1, rows * columns
    return ConvolutionTiling(tile, rows % tile.rows, columns % tile.columns, segment, *rest)


@pytest.mark.parametrize(
    ("tile", "chunk", "band", "depth"),
    [
        (Tile(1, 1, 1), 9, 1, 1),
        (Tile(2, 4, 3), 1, 3, 2),
        (Tile(3, 5, 1), 2, 50, 4),
        (Tile(1, 9, 2), 1, 5, 3),
    ],
)
@pytest.mark.parametrize("case", ["3x3", "1x1", "groups"])
def test_any_tiling_computes_the_same(
    case: str, tile: Tile, chunk: int, band: int, depth: int
) -> None:
    problem = Problem(CASES[case], target_named(""))
    tiling = _tiling(problem, tile, 0, chunk, band, depth)
    shift = to_channel_blocks.kernel(
        normal(problem.output.shape[1]), lanes=problem.lanes, groups=problem.filters.groups
    )
    epilogue = ConvolutionEpilogue.of(lambda m, x, s: m.maximum(x + s, 0), channels=1)
    expected = np.maximum(problem.output + problem.planes(shift), 0)
    assert_close(problem.convolve(epilogue, shift, tiling=tiling), expected)


@pytest.mark.parametrize(
    ("columns", "chunk", "band", "depth"), [(1, 9, 1, 1), (6, 1, 2, 2), (9, 2, 50, 4)]
)
def test_rows_without_gaps_may_be_cut_anywhere(
    columns: int, chunk: int, band: int, depth: int
) -> None:
    problem = Problem(CASES["1x1"], target_named(""))
    for segment in columns, columns * 3, columns * 100:
        tiling = _tiling(problem, Tile(1, columns, 2), segment, chunk, band, depth)
        assert_close(problem.convolve(tiling=tiling), problem.output)


@EVERY_LEVEL
@pytest.mark.parametrize("case", ["groups", "1x1", "3x3"])
@pytest.mark.parametrize("function", ["abs", "tanh"])
def test_an_epilogue_sees_channels_and_positions(function: str, case: str, level: str) -> None:
    problem = Problem(CASES[case], target_named(level))
    groups, lanes = problem.filters.groups, problem.lanes
    shift, other = normal(problem.output.shape[1]), normal(*problem.output.shape)
    epilogue = ConvolutionEpilogue.of(
        lambda m, x, s, o: getattr(m, function)(m.maximum(x + s, 0) * o), channels=1, elementwise=1
    )
    found = problem.convolve(
        epilogue,
        to_channel_blocks.kernel(shift, lanes=lanes, groups=groups),
        problem.images(other, groups),
    )
    expected = np.maximum(problem.output + shift[:, None, None], 0) * other
    assert_close(found, getattr(np, function)(expected))


@EVERY_LEVEL
@EVERY_CASE
@pytest.mark.parametrize("padding", [(0, 0), (1, 0), (1, 3)])
def test_the_gradient_of_filters(case: Any, padding: tuple[int, int], level: str) -> None:
    problem = Problem(case, target_named(level), padding)
    filters, lanes = problem.filters, problem.lanes
    slopes = normal(*problem.output.shape)
    grad = problem.images(slopes, filters.groups)
    found = filled(filters.packed_size(lanes))
    few = specialized_extents(*slopes.shape[2:])
    form = GradientForm.of(filters, problem.target, few, padded=problem.padded)
    geometry = problem.geometry(problem.source, grad)
    run_native(
        problem.target,
        lambda module, name: emit_filter_gradient(module, name, form),
        [problem.source, grad, found],
        gradient_numbers(filters, geometry, lanes, problem.inside),
        gradient_units(filters, problem.target),
    )
    expected = convolve_weight(
        slopes, problem.data, problem.weight.shape, problem.windows, problem.groups
    )
    assert_close(found, packed_in_order(expected, filters, 1, lanes))


@pytest.mark.parametrize("level", LEVELS)
def test_gradients_of_filters_of_all_windows_share_one_code(level: str) -> None:
    target = target_named(level)
    windows = [((3, 3), (1, 1), (1, 1)), ((1, 1), (2, 2), (1, 1)), ((5, 3), (1, 2), (2, 1))]
    forms = {
        GradientForm.of(Filters(64, 64, 1, *window), target, padded=padded)
        for window in windows
        for padded in (False, True)
    }
    assert len(forms) == 1


@EVERY_LEVEL
@pytest.mark.parametrize("name", ["3x3", "dilated", "groups"])
def test_the_backward_pass_is_a_convolution_with_rotated_filters(name: str, level: str) -> None:
    forward = Problem(CASES[name], target_named(level))
    filters, lanes = forward.filters, forward.lanes
    slopes = normal(*forward.output.shape)
    spatial = forward.data.shape[2:]
    down, across = (extent - 1 for extent in forward.windows.extents())
    grad = forward.images(slopes, filters.groups)
    padded = np.pad(grad, [(0, 0), (0, 0), (down, down), (across, across), (0, 0)])
    back = replace(filters, channels=filters.filters, filters=filters.channels)
    tiling = tiling_of(back, spatial[0], spatial[1], forward.target)
    packed = filled(back.packed_size(lanes))
    run_native(
        forward.target,
        lambda m, name: emit_pack_turned_filters(
            m, name, FilterForm.of(back, lanes), back.kernel, Taps.of(back.kernel)
        ),
        [forward.weight, packed],
        filter_numbers(back, tiling.tile.blocks, lanes),
        filter_units(back, lanes),
    )
    goal = filled(*forward.source.shape)
    geometry = forward.geometry(padded, goal)
    run_native(
        forward.target,
        lambda m, name: emit_convolution(m, name, ConvolutionForm.of(back, tiling, lanes)),
        [padded, packed, goal],
        numbers_of(back, tiling, geometry, lanes, (0, padded.shape[2])),
        geometry.units(back, tiling, lanes),
    )
    found = to_planes.kernel(goal, channels=forward.data.shape[1], groups=filters.groups)
    expected = convolve_data(
        slopes, forward.weight, forward.data.shape, forward.windows, forward.groups
    )
    assert_close(found, expected)


@pytest.mark.parametrize("level", ["x86-64", "x86-64-v3", "x86-64-v4"])
@pytest.mark.parametrize("shape", [(56, 56), (7, 7), (1, 1), (13, 29)])
def test_tiles_leave_registers_for_weights(level: str, shape: tuple[int, int]) -> None:
    target = cross("x86_64-unknown-linux-gnu", level)
    tile = tile_of(Filters(64, 64, 1, (3, 3)), *shape, target)
    sums = tile.rows * tile.columns * tile.blocks
    assert sums + tile.blocks + 1 <= target.vector_registers
    assert tile.rows <= shape[0]
    assert tile.columns <= shape[1]


def test_code_for_another_processor_compiles() -> None:
    target = cross("aarch64-unknown-linux-gnu")
    module = LLVMModule(target)
    filters = Filters(16, 16, 1, (3, 3))
    form = ConvolutionForm.of(filters, tiling_of(filters, 8, 8, target), lanes_of(target))
    emit_convolution(module, "convolution", form)
    assert "fmla" in jit.assembly(module.text(), target)
