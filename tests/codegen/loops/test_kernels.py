"""Kernels: loops over spaces of any shape, reductions, programs of several sweeps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.maths.values import Dtype
from tests.codegen.harness import (
    LEVELS,
    Array,
    Carry,
    Compiled,
    Draft,
    Operand,
    Reduce,
    Store,
    kernel_of,
    patterns_of,
    target_named,
)

F4, F8 = np.dtype(np.float32), np.dtype(np.float64)
_LENGTHS = (0, 1, 2, 15, 16, 17, 63, 64, 65, 129, 1000)


def _operands(space: tuple[int, ...], *arrays: Array) -> tuple[Operand, ...]:
    return tuple(Operand(a.dtype, patterns_of(a, space)) for a in arrays)


def _reduction(
    array: Array, axes: tuple[int, ...], kind: Any, dtype: Dtype | None = None, **keywords: Any
) -> Array:
    """Reduce with a kernel of one sweep."""
    shape = tuple(1 if axis in axes else n for axis, n in enumerate(array.shape))
    output = np.full(shape, 7, dtype or array.dtype)
    stages = (
        Draft(lambda m, x, r: [x[0]], (Reduce(kind, dtype),)),
        Draft(lambda m, x, r: [r[0]], (Store(1),), point=True),
    )
    operands = _operands(array.shape, array, output)
    kernel = kernel_of(array.ndim, operands, stages, frozenset(axes))
    Compiled(kernel, keywords.pop("target", None))(array.shape, [array, output], **keywords)
    return output


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("length", _LENGTHS)
def test_every_length_is_computed_to_its_end_and_no_further(length: int, level: str) -> None:
    x = np.arange(length, dtype=np.float32)
    guarded = np.full(length + 64, -1, np.float32)
    stage = Draft(lambda m, x, r: [x[0] * 2 + 1], (Store(1),))
    kernel = kernel_of(1, (Operand(F4, ("unit",)),) * 2, (stage,))
    Compiled(kernel, target_named(level))((length,), [x, guarded], strides=[(4,), (4,)], grain=50)
    np.testing.assert_array_equal(guarded[:length], x * 2 + 1)
    assert (guarded[length:] == -1).all()


@pytest.mark.parametrize("level", LEVELS)
def test_broadcasts_views_and_dtypes_mix_in_one_pass(level: str) -> None:
    random = np.random.default_rng(0)
    n, k = 23, 75
    inputs: list[Array] = [
        random.standard_normal((n, k)).astype(np.float32),
        random.standard_normal((1, k)).astype(np.float32),
        random.standard_normal((n, 1)).astype(np.float32),
        random.standard_normal((k, n)).astype(np.float32).T,
        random.standard_normal((n, k)).astype(np.float16),
        random.integers(-50, 50, (n, k)).astype(np.int32),
        random.random((n, k)) < 0.5,
        random.standard_normal((n, 2 * k)).astype(np.float64)[:, ::2],
        random.integers(0, 99, (n, k)).astype(np.uint8),
    ]
    outputs: list[Array] = [
        np.empty((n, k)),
        np.empty((n, k), np.bool_),
        np.empty((n, k), np.float16),
        np.empty((k, n), np.int8).T,
        np.empty((n, k), np.int64),
    ]

    def body(m: Any, x: Any, r: Any) -> list[Any]:
        return [
            x[0] + x[1] * x[2] - x[3] * x[7],
            (x[0] > x[1]) | x[6],
            x[4] * 3,
            m.where(x[6], x[5], -x[5]),
            x[8] * x[5] + 1,
        ]

    a, b, c, d, e, f, g, h, i = inputs
    expected = [
        a + b * c - d * h,
        (a > b) | g,
        (e.astype(np.float32) * 3).astype(np.float16),
        np.where(g, f, -f),
        i.astype(np.int64) * f + 1,
    ]
    stage = Draft(body, tuple(Store(9 + k) for k in range(5)))
    kernel = kernel_of(2, _operands((n, k), *inputs, *outputs), (stage,))
    Compiled(kernel, target_named(level))((n, k), [*inputs, *outputs], grain=32)
    for got, wanted in zip(outputs, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("level", LEVELS)
def test_all_float16_survive_and_all_float32_round_to_float16_as_in_numpy(level: str) -> None:
    target = target_named(level)
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    random = np.random.default_rng(1)
    singles = random.integers(0, 1 << 32, 100_000, dtype=np.uint32).view(np.float32)
    with np.errstate(invalid="ignore"):
        near = halves.astype(np.float32) * np.float32(1 + 2**-11)
    for source, result in ((halves, F4), (np.concatenate([singles, near]), np.dtype(np.float16))):
        output = np.empty(len(source), result)
        operands = tuple(Operand(a.dtype, ("unit",)) for a in (source, output))
        kernel = kernel_of(1, operands, (Draft(lambda m, x, r: [x[0]], (Store(1),)),))
        Compiled(kernel, target)((len(source),), [source, output])
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(output, source.astype(result))


def test_output_may_be_the_input() -> None:
    x = np.arange(1000, dtype=np.float32)
    stage = Draft(lambda m, x, r: [x[0] + 1], (Store(1),))
    Compiled(kernel_of(1, (Operand(F4, ("unit",)),) * 2, (stage,)))((1000,), [x, x])
    np.testing.assert_array_equal(x, np.arange(1, 1001))


_spaces = st.lists(st.integers(0, 20), min_size=1, max_size=4).map(tuple)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_random_spaces_broadcasts_and_reduced_axes_agree_with_numpy(data: st.DataObject) -> None:
    space = data.draw(_spaces)
    axes = data.draw(st.sets(st.integers(0, len(space) - 1)))
    random = np.random.default_rng(0)

    def operand() -> Array:
        repeated = data.draw(st.sets(st.integers(0, len(space) - 1)))
        shape = [1 if a in repeated else n for a, n in enumerate(space)]
        order = data.draw(st.permutations(range(len(space))))
        array = random.integers(-9, 9, [shape[a] for a in order]).astype(np.float32)
        return array.transpose(np.argsort(order))

    a, b = operand(), operand()
    total = np.empty([1 if k in axes else n for k, n in enumerate(space)], np.float32)
    largest, product = np.empty_like(total), np.empty(space, np.float32)
    arrays = [a, b, product, total, largest]

    def sweep(m: Any, x: Any, r: Any) -> list[Any]:
        value = x[0] * x[1]
        return [value, value, value]

    stages = (
        Draft(sweep, (Store(2), Reduce("sum"), Reduce("max"))),
        Draft(lambda m, x, r: [r[0], r[1]], (Store(3), Store(4)), point=True),
    )
    kernel = kernel_of(len(space), _operands(space, *arrays), stages, frozenset(axes))
    Compiled(kernel)(space, arrays, grain=data.draw(st.integers(1, 40)), pieces=2)
    full = np.broadcast_to(a * b, space)
    np.testing.assert_array_equal(product, full)
    np.testing.assert_array_equal(total, full.sum(tuple(axes), keepdims=True))
    expected = full.max(tuple(axes), keepdims=True, initial=-np.inf)
    np.testing.assert_array_equal(largest, expected)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1), (0, 2), (2,), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("kind", ["sum", "prod", "max", "min"])
def test_reductions_over_any_axes(kind: str, axes: tuple[int, ...], level: str) -> None:
    x = 1 + np.random.default_rng(2).standard_normal((7, 33, 70)).astype(np.float32) / 100
    got = _reduction(x, axes, kind, target=target_named(level))
    expected = getattr(x.astype(np.float64), kind)(axis=axes, keepdims=True)
    np.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.bool_])
def test_reductions_of_integers_are_exact(dtype: Any, kind: str) -> None:
    x = np.random.default_rng(3).integers(0, 120, (5, 777)).astype(dtype)
    result = np.dtype(np.int64) if kind == "sum" else np.dtype(dtype)
    for axis in (0, 1):
        expected = getattr(np, kind)(x, axis=axis, keepdims=True)
        np.testing.assert_array_equal(_reduction(x, (axis,), kind, result), expected)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", ["max", "min"])
def test_nan_wins_wherever_it_stands(kind: str, axis: int) -> None:
    for index in (0, 5, 63, 64, 70):
        x = np.arange(142, dtype=np.float32).reshape((2, 71) if axis else (71, 2))
        x[(1, index) if axis else (index, 1)] = np.nan
        got = _reduction(x, (axis,), kind)
        np.testing.assert_array_equal(got, getattr(x, kind)(axis=axis, keepdims=True))


def test_ten_million_ones_are_summed_exactly() -> None:
    assert _reduction(np.ones(10**7, np.float32), (0,), "sum")[0] == 10**7


@pytest.mark.parametrize("axis", [0, 1])
def test_float32_sums_are_correctly_rounded_nearly_always(axis: int) -> None:
    random = np.random.default_rng(4)
    shape = (100_000, 3) if axis == 0 else (3, 100_000)
    x = (random.standard_normal(shape) * np.exp(random.uniform(-9, 9, shape))).astype(np.float32)
    exact = [math.fsum(column) for column in (x.T if axis == 0 else x)]
    np.testing.assert_allclose(_reduction(x, (axis,), "sum").ravel(), exact, rtol=1.2e-7)


@pytest.mark.parametrize("axis", [0, 1])
def test_float64_sums_put_back_what_rounding_takes(axis: int) -> None:
    random = np.random.default_rng(4)
    shape = (100_000, 3) if axis == 0 else (3, 100_000)
    x = random.standard_normal(shape) * np.exp(random.uniform(-9, 9, shape))
    exact = [math.fsum(column) for column in (x.T if axis == 0 else x)]
    np.testing.assert_allclose(_reduction(x, (axis,), "sum").ravel(), exact, rtol=3e-16)


def test_infinite_sums_stay_infinite() -> None:
    x = np.ones((2, 100))
    x[0, 50] = np.inf
    assert _reduction(x, (1,), "sum").ravel().tolist() == [np.inf, 100]


def test_pieces_of_work_give_the_same_bits() -> None:
    x = np.random.default_rng(5).standard_normal((97, 1003)).astype(np.float32)
    for axes in ((0,), (1,), ()):
        results = [
            _reduction(x, axes, "sum", pieces=pieces, grain=100).tobytes() for pieces in (1, 2, 5)
        ]
        assert len(set(results)) == 1


@pytest.mark.parametrize("length", [1, 4095, 4096, 4097, 100_000])
def test_a_long_row_can_be_reduced_in_chunks(length: int) -> None:
    x = np.random.default_rng(6).standard_normal(length).astype(np.float32)
    grain = 4096
    parts = np.full(-(-length // grain), np.nan)
    stages = (
        Draft(lambda m, x, r: [x[0], x[0]], (Reduce("sum", F8), Reduce("max"))),
        Draft(lambda m, x, r: [r[0]], (Store(1),), point=True),
    )
    operands = (Operand(F4, ("unit",)), Operand(F8, ("chunk",)))
    kernel = kernel_of(1, operands, stages, frozenset({0}), chunked=True)
    assert kernel.units([length], grain) == len(parts)
    Compiled(kernel)([length], [x, parts], strides=[(4,), (8,)], grain=grain, pieces=3)
    ends = range(0, length, grain)
    np.testing.assert_allclose(parts, [x[k : k + grain].sum(dtype=np.float64) for k in ends])


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", ["sum", "max", "min"])
@pytest.mark.parametrize("length", [1, 7, 8, 61])
def test_a_short_row_is_reduced_one_register_at_a_time(length: int, kind: Any, level: str) -> None:
    x = np.random.default_rng(7).standard_normal(length)
    stages = (
        Draft(lambda m, x, r: [x[0]], (Reduce(kind),)),
        Draft(lambda m, x, r: [r[0]], (Store(1),), point=True),
    )
    operands = (Operand(F8, ("unit",)), Operand(F8, ("repeat",)))
    compiled = Compiled(
        kernel_of(1, operands, stages, frozenset({0}), short=True), target_named(level)
    )
    got = np.zeros(1)
    for index in (None, 0, length - 1):
        x[[] if index is None else [index]] = np.nan
        compiled([length], [x, got], strides=[(8,), (0,)], grain=64)
        np.testing.assert_allclose(got, getattr(x, kind)(keepdims=True), rtol=1e-12)


def _softmax_stages(source: int, result: int) -> tuple[Draft, ...]:
    def exponentials(m: Any, x: Any, r: Any) -> list[Any]:
        value = m.exp(x[source] - r[0])
        return [value, value]

    return (
        Draft(lambda m, x, r: [x[source]], (Reduce("max"),)),
        Draft(exponentials, (Store(result), Reduce("sum"))),
        Draft(lambda m, x, r: [1 / r[1]], (Carry(),), point=True),
        Draft(lambda m, x, r: [x[result] * r[2]], (Store(result),)),
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((9, 301), 1), ((7, 11, 50), 1), ((300, 5), 0), ((4, 1), 1), ((3, 50, 7), 2), ((2, 5000), 1)],
)
def test_softmax_is_one_kernel_in_either_orientation(
    shape: tuple[int, ...], axis: int, level: str
) -> None:
    x = 30 * np.random.default_rng(7).standard_normal(shape).astype(np.float32)
    output = np.empty_like(x)
    kernel = kernel_of(
        x.ndim, _operands(shape, x, output), _softmax_stages(0, 1), frozenset({axis})
    )
    compiled = Compiled(kernel, target_named(level))
    compiled(shape, [x, output])
    in_pieces = np.empty_like(x)
    compiled(shape, [x, in_pieces], pieces=3)
    np.testing.assert_array_equal(in_pieces, output)
    wide = np.exp((x - x.max(axis, keepdims=True)).astype(np.float64))
    np.testing.assert_allclose(output, wide / wide.sum(axis, keepdims=True), rtol=2e-6, atol=1e-37)


@pytest.mark.parametrize("axis", [0, 1])
def test_layer_norm_carries_scalars_between_sweeps(axis: int) -> None:
    random = np.random.default_rng(8)
    shape = (40, 133)
    x = random.standard_normal(shape).astype(np.float32) * 3 + 100
    other = (shape[0], 1) if axis == 0 else (1, shape[1])
    gamma, beta = (random.standard_normal(other).astype(np.float32) for _ in range(2))
    output = np.empty_like(x)

    def scale(m: Any, x: Any, r: Any) -> list[Any]:
        return [1 / m.sqrt(r[2] / m.extent([axis]).astype(np.float32) + 1e-5)]

    stages = (
        Draft(lambda m, x, r: [x[0]], (Reduce("sum"),)),
        Draft(lambda m, x, r: [r[0] / m.extent([axis]).astype(np.float32)], (Carry(),), point=True),
        Draft(lambda m, x, r: [m.square(x[0] - r[1])], (Reduce("sum"),)),
        Draft(scale, (Carry(),), point=True),
        Draft(lambda m, x, r: [(x[0] - r[1]) * r[3] * x[1] + x[2]], (Store(3),)),
    )
    arrays = [x, gamma, beta, output]
    Compiled(kernel_of(2, _operands(shape, *arrays), stages, frozenset({axis})))(shape, arrays)
    wide = x.astype(np.float64)
    centred = wide - wide.mean(axis, keepdims=True)
    scaled = centred / np.sqrt(np.square(centred).mean(axis, keepdims=True) + 1e-5)
    np.testing.assert_allclose(output, scaled * gamma + beta, rtol=1e-4, atol=1e-4)


def test_invalid_kernels_are_refused() -> None:
    one = Operand(F4, ("unit",))
    stage = Draft(lambda m, x, r: [x[0]], (Reduce("sum"),))
    with pytest.raises(ValueError, match="every operand needs an access pattern"):
        kernel_of(2, (one,), (stage,))
    with pytest.raises(ValueError, match="last axis is reduced"):
        kernel_of(1, (one,), (stage,), chunked=True)
    with pytest.raises(ValueError, match="one sweep"):
        kernel_of(1, (one,), (stage, stage), frozenset({0}), chunked=True)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nontemporal_stores_are_complete_at_any_alignment(dtype: Any, level: str) -> None:
    target = target_named(level)
    operands = (Operand(np.dtype(dtype), ("stride", "unit")),) * 2
    stages = (Draft(lambda m, x, r: [x[0] + 1], (Store(1),)),)
    kernel = Compiled(kernel_of(2, operands, stages, streamed=1), target)
    size = np.dtype(dtype).itemsize
    for columns in (1, 7, 64, 301):
        x = np.arange(3 * columns, dtype=dtype).reshape(3, columns)
        for begin in (*range(0, 64, size), 3):
            memory = np.zeros(x.nbytes + 192, np.uint8)
            first = -memory.ctypes.data % 64 + 64 + begin
            out = memory[first : first + x.nbytes].view(dtype).reshape(x.shape)
            kernel((3, columns), [x, out], grain=100)
            np.testing.assert_array_equal(out, x + 1)
            assert not memory[:first].any()
            assert not memory[first + x.nbytes :].any()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("streamed", [None, 1])
def test_stages_pass_on_what_they_leave_in_scratch(streamed: int | None, level: str) -> None:
    number, flag = np.dtype(np.float32), np.dtype(np.bool_)
    stages = (
        Draft(lambda m, x, r: [x[0] * 2, x[0] > 5], (Store(2), Store(3))),
        Draft(lambda m, x, r: [m.where(x[3], x[2], -x[0])], (Store(4),)),
        Draft(lambda m, x, r: [x[4] + x[2]], (Store(1),)),
    )
    operands = (Operand(number, ("stride", "unit")),) * 2
    scratch = (number, flag, number)
    kernel = kernel_of(2, operands, stages, scratch=scratch, streamed=streamed)
    compiled = Compiled(kernel, target_named(level))
    for columns in (1, 31, 1023, 1024, 1025, 3000):
        x = np.random.default_rng(columns).uniform(0, 10, (3, columns)).astype(np.float32)
        out = np.empty_like(x)
        compiled((3, columns), [x, out], grain=1500, pieces=2)
        np.testing.assert_array_equal(out, np.where(x > 5, x * 2, -x) + x * 2)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("streamed", [None, 1])
def test_blocks_fill_an_array_wherever_it_begins(streamed: int | None, level: str) -> None:
    number = np.dtype(np.float32)
    stages = (
        Draft(lambda m, x, r: [x[0] * 2], (Store(2),)),
        Draft(lambda m, x, r: [x[2] + 1], (Store(1),)),
    )
    operands = (Operand(number, ("unit",)),) * 2
    kernel = kernel_of(1, operands, stages, scratch=(number,), streamed=streamed)
    compiled = Compiled(kernel, target_named(level))
    room = np.empty(4 * 4000, np.uint8)
    start = -room.ctypes.data % 64
    for length in (5, 1024, 3000):
        x = np.arange(length, dtype=np.float32)
        for offset in (0, 4, 16, 32, 60, 1):
            room[:] = 255
            out = room[start + offset :][: 4 * length].view(np.float32)
            compiled((length,), [x, out], grain=2500)
            np.testing.assert_array_equal(out, x * 2 + 1)
            assert (room[: start + offset] == 255).all()
            assert (room[start + offset + 4 * length :] == 255).all()
