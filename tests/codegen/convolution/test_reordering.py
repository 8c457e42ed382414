"""Reorderings between planes and blocks of channels, and of filters, against NumPy."""

import numpy as np
import pytest

from gluonic.codegen.convolution.filter_packing import (
    FilterForm,
    emit_pack_filters,
    emit_unpack_filters,
    filter_numbers,
    filter_units,
)
from gluonic.codegen.convolution.filters import Filters, blocks_of, blocks_with_last, lanes_of
from gluonic.codegen.convolution.geometry import Strides
from gluonic.codegen.convolution.operators import (
    memory_of,
    packed_in_order,
    pad_images,
    to_blocks,
)
from gluonic.codegen.convolution.reordering import Reordering, emit_pack, emit_padding, emit_unpack
from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.machine.memory import ALIGNMENT
from gluonic.codegen.machine.target import host
from gluonic.codegen.runtime.arena import Memory
from tests.codegen.harness import LEVELS, target_named
from tests.codegen.native_functions import Array, filled, normal, run_native

EVERY_LEVEL = pytest.mark.parametrize("level", LEVELS)
FILTERS = [
    Filters(20, 20, 1, (3, 3)),
    Filters(64, 40, 1, (1, 1)),
    Filters(3, 50, 1, (7, 7), planar=True),
    Filters(33, 21, 3, (2, 3)),
    Filters(1, 37, 1, (3, 3), depthwise=True),
]


def _strides(array: Array) -> Strides:
    blocks, rows, columns, *lanes = array.shape[1:]
    return Strides.of(blocks, rows, columns, *lanes or (1,))


@EVERY_LEVEL
@pytest.mark.parametrize("channels", [1, 3, 16, 20, 64])
@pytest.mark.parametrize("extents", [(1, 1), (5, 7), (6, 16), (2, 37)])
@pytest.mark.parametrize("padding", [(0, 0, 0, 0), (1, 2, 2, 3)])
def test_planes_go_to_blocks_with_padding(
    channels: int, extents: tuple[int, int], padding: tuple[int, int, int, int], level: str
) -> None:
    target = target_named(level)
    planes = normal(2, channels, *extents)
    expected = to_blocks.kernel(planes, lanes=lanes_of(target), padding=padding)
    found = filled(*expected.shape)
    extent = blocks_with_last(channels, lanes_of(target))
    numbers = Reordering(*extent, *extents, _strides(planes), _strides(found), *padding).numbers()
    units = expected.shape[0] * expected.shape[1]
    is_partial = extent[1] != lanes_of(target)
    run_native(target, lambda m, n: emit_pack(m, n, is_partial), [planes, found], numbers, units)
    np.testing.assert_array_equal(found, expected)


@EVERY_LEVEL
@pytest.mark.parametrize("channels", [1, 16, 21])
@pytest.mark.parametrize("extents", [(1, 1), (5, 7), (2, 37)])
def test_blocks_go_to_planes(channels: int, extents: tuple[int, int], level: str) -> None:
    target = target_named(level)
    planes = normal(2, channels, *extents)
    blocks = to_blocks.kernel(planes, lanes=lanes_of(target))
    found = filled(*planes.shape)
    extent = blocks_with_last(channels, lanes_of(target))
    numbers = Reordering(*extent, *extents, _strides(blocks), _strides(found)).numbers()
    units = blocks.shape[0] * blocks.shape[1]
    is_partial = extent[1] != lanes_of(target)
    run_native(target, lambda m, n: emit_unpack(m, n, is_partial), [blocks, found], numbers, units)
    np.testing.assert_array_equal(found, planes)


@pytest.mark.parametrize("shape", [(2, 3, 5, 7), (2, 3, 5, 7, 16)])
def test_padding_is_zero(shape: tuple[int, ...]) -> None:
    padding = 1, 0, 2, 3
    data = normal(*shape)
    expected = pad_images.kernel(data, padding=padding)
    found = filled(*expected.shape)
    lanes = shape[4] if len(shape) == 5 else 1
    numbers = Reordering(3, lanes, 5, 7, _strides(data), _strides(found), *padding).numbers()
    run_native(host(), lambda m, n: emit_padding(m, n, 4 * lanes), [data, found], numbers, 6)
    np.testing.assert_array_equal(found, expected)


@EVERY_LEVEL
@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_filters_are_packed_and_unpacked(filters: Filters, level: str) -> None:
    target = target_named(level)
    lanes = lanes_of(target)
    weight = normal(filters.groups * filters.filters, filters.channels, *filters.kernel)
    units, form = filter_units(filters, lanes), FilterForm.of(filters, lanes)
    for tile in (1, 2):
        packed = filled(filters.packed_size(lanes))

        def emit(module: LLVMModule, name: str) -> None:
            emit_pack_filters(module, name, form)

        run_native(target, emit, [weight, packed], filter_numbers(filters, tile, lanes), units)
        expected = packed_in_order(weight, filters, tile, lanes)
        np.testing.assert_array_equal(packed, expected)
    found, alone = filled(*weight.shape), packed_in_order(weight, filters, 1, lanes)
    numbers = filter_numbers(filters, 1, lanes)
    run_native(target, lambda m, n: emit_unpack_filters(m, n, form), [alone, found], numbers, units)
    np.testing.assert_array_equal(found, weight)


@EVERY_LEVEL
def test_large_filters_are_packed_past_the_caches_where_a_vector_fills_a_cache_line(
    level: str,
) -> None:
    filters, target = Filters(130, 40, 2, (3, 3)), target_named(level)
    lanes = lanes_of(target)
    form, units = FilterForm.of_packing(filters, lanes), filter_units(filters, lanes)
    assert form.streamed == (target.vector_bytes == ALIGNMENT)
    weight = normal(filters.groups * filters.filters, filters.channels, *filters.kernel)
    size = filters.packed_size(lanes)
    packed = Memory(4 * size).view(0, 4 * size).view(np.float32)
    packed.fill(7)
    arrays, numbers = [weight, packed], filter_numbers(filters, 2, lanes)
    run_native(target, lambda m, n: emit_pack_filters(m, n, form), arrays, numbers, units)
    np.testing.assert_array_equal(packed, packed_in_order(weight, filters, 2, lanes))


def test_small_filters_stay_in_the_caches() -> None:
    assert not FilterForm.of_packing(Filters(16, 16, 1, (3, 3)), 16).streamed


class Remembering:
    """Filters that are packed again only if they changed."""

    def __init__(self, filters: Filters) -> None:
        self.filters, self.lanes = filters, lanes_of(host())
        size = filters.packed_size(self.lanes) + memory_of(filters, self.lanes, True)
        self.memory = np.zeros(size, np.float32)

    def pack(self, weight: Array, scale: Array) -> Array:
        """Pack; what the memory then holds."""

        def emit(module: LLVMModule, name: str) -> None:
            form = FilterForm.of(self.filters, self.lanes)
            emit_pack_filters(module, name, form, scaled=True, remembers=True)

        units = filter_units(self.filters, self.lanes)
        numbers = filter_numbers(self.filters, 1, self.lanes)
        run_native(host(), emit, [weight, scale, self.memory], numbers, units)
        return self.memory[: self.filters.packed_size(self.lanes)]


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_filters_that_have_not_changed_are_not_packed_again(filters: Filters) -> None:
    count = filters.groups * filters.filters
    weight, scale = normal(count, filters.channels, *filters.kernel), normal(count)
    remembering = Remembering(filters)
    packed = remembering.pack(weight, scale)
    expected = packed_in_order(weight * scale[:, None, None, None], filters, 1, remembering.lanes)
    np.testing.assert_array_equal(packed, expected)
    packed[:] = 5
    assert (remembering.pack(weight, scale) == 5).all()


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_any_change_of_filters_is_noticed(filters: Filters) -> None:
    count = filters.groups * filters.filters
    shape = count, filters.channels, *filters.kernel
    zeros, ones = np.zeros(shape, np.float32), np.ones(count, np.float32)
    one = normal(*shape)
    changed = one.copy()
    changed.flat[-1] = np.nextafter(changed.flat[-1], np.float32(9))
    swapped = one[:, :, ::-1, ::-1].copy()
    remembering = Remembering(filters)
    for weight in (zeros, zeros + 1, zeros, one, changed, one, -one, swapped, zeros + 2, zeros + 4):
        for scale in (ones, ones * 2):
            expected = packed_in_order(
                weight * scale[:, None, None, None], filters, 1, remembering.lanes
            )
            np.testing.assert_array_equal(remembering.pack(weight, scale), expected)


def test_blocks_hold_all_channels() -> None:
    assert [blocks_of(channels, 8) for channels in (1, 8, 9, 16)] == [1, 1, 2, 2]
