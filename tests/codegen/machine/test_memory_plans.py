"""The memory plan: results that live at the same time do not overlap, for any sizes in turn."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gluonic.codegen.machine.memory import ALIGNMENT, Lifetimes, MemoryPlan
from gluonic.codegen.machine.packing import largest_first

_Spans = list[tuple[int, int]]


@st.composite
def spans(draw: st.DrawFn) -> _Spans:
    """For each buffer the step that writes it and the last one that reads it."""
    steps = draw(st.integers(1, 12))
    births = sorted(draw(st.lists(st.integers(0, steps - 1), min_size=1, max_size=16)))
    return [(birth, draw(st.integers(birth, steps - 1))) for birth in births]


def sizes_of(buffers: _Spans) -> st.SearchStrategy[list[int]]:
    whole = st.integers(1, 20).map(lambda lines: lines * ALIGNMENT)
    return st.lists(whole, min_size=len(buffers), max_size=len(buffers))


def lifetimes(buffers: _Spans) -> Lifetimes:
    steps: list[tuple[list[int], list[int]]] = [([], []) for _ in range(12)]
    for buffer, (birth, death) in enumerate(buffers):
        steps[birth][1].append(buffer)
        steps[death][0].append(buffer)
    return Lifetimes(steps, range(len(buffers)), {})


def check(plan: MemoryPlan, buffers: _Spans, sizes: list[int]) -> None:
    intervals = list(zip(plan.offsets, sizes, strict=True))
    assert all(offset + size <= plan.size for offset, size in intervals)
    for step in range(12):
        alive = sorted(
            intervals[i] for i, (birth, death) in enumerate(buffers) if birth <= step <= death
        )
        assert all(offset + size <= above for (offset, size), (above, _) in pairwise(alive))


@given(st.data())
def test_no_two_that_live_at_the_same_time_overlap_whichever_sizes_come_in_turn(
    data: st.DataObject,
) -> None:
    buffers = data.draw(spans())
    found = lifetimes(buffers)
    for sizes in data.draw(st.lists(sizes_of(buffers), min_size=1, max_size=5)):
        plan = found.plan(sizes)
        check(plan, buffers, sizes)
        if data.draw(st.booleans()):
            found.room.note(plan.size)


@given(st.data(), st.integers(2, 5))
def test_a_plan_grows_with_sizes_that_grow_alike(data: st.DataObject, factor: int) -> None:
    buffers = data.draw(spans())
    sizes = data.draw(sizes_of(buffers))
    found = lifetimes(buffers)
    first, second = found.plan(sizes), found.plan([size * factor for size in sizes])
    assert second == MemoryPlan([offset * factor for offset in first.offsets], first.size * factor)


@given(st.data())
def test_smaller_sizes_take_no_more_than_larger_ones_before_them(data: st.DataObject) -> None:
    buffers = data.draw(spans())
    larger = data.draw(sizes_of(buffers))
    smaller = [data.draw(st.integers(1, size // ALIGNMENT)) * ALIGNMENT for size in larger]
    found = lifetimes(buffers)
    most = found.plan(larger).size
    assert found.plan(smaller).size <= most


@given(st.data())
def test_smaller_sizes_reuse_the_layout_of_larger_ones(
    data: st.DataObject,
) -> None:
    buffers = data.draw(spans())
    larger = data.draw(sizes_of(buffers))
    smaller = [data.draw(st.integers(1, size // ALIGNMENT)) * ALIGNMENT for size in larger]
    found = lifetimes(buffers)
    plan = found.plan(larger)
    found.room.note(plan.size)
    assert found.plan(smaller) is plan
    assert found.plan(larger) is plan


@given(st.data())
def test_nested_buffers_share_the_memory_of_their_hosts_alone(data: st.DataObject) -> None:
    buffers = data.draw(spans())
    sizes = data.draw(sizes_of(buffers))
    whole, births = len(buffers) - 1, [birth for birth, _ in buffers]
    inside = [i for i in range(whole) if buffers[i][1] >= births[whole]]
    begins = [sum(sizes[j] for j in inside if j < i) for i in inside]
    sizes[whole] = max(sum(sizes[i] for i in inside), sizes[whole])
    within = {i: (whole, begin) for i, begin in zip(inside, begins, strict=True)}
    found = lifetimes(buffers)
    for _ in range(2):
        plan = found.plan(sizes, within)
        for i, begin in zip(inside, begins, strict=True):
            assert plan.offsets[i] == plan.offsets[whole] + begin
        family = [whole, *inside]
        lasting = min(births[i] for i in family), max(buffers[i][1] for i in family)
        joined = [lasting if i == whole else buffers[i] for i in range(whole + 1)]
        others = [i for i in range(whole + 1) if i not in inside]
        check(
            MemoryPlan([plan.offsets[i] for i in others], plan.size),
            [joined[i] for i in others],
            [sizes[i] for i in others],
        )


@given(st.data())
def test_the_largest_first_do_not_overlap_either(data: st.DataObject) -> None:
    buffers = data.draw(spans())
    sizes = data.draw(sizes_of(buffers))
    moves = [
        move
        for step in range(12)
        for move in (
            *(i for i, (birth, _) in enumerate(buffers) if birth == step),
            *(~i for i, (_, death) in enumerate(buffers) if death == step),
        )
    ]
    offsets = largest_first(moves, np.array(sizes))
    check(MemoryPlan(offsets, sum(sizes)), buffers, sizes)


def test_the_holes_that_small_buffers_leave_do_not_make_a_large_plan_larger() -> None:
    lines = 1 << 14
    buffers, sizes = [(0, 1), (1, 2), (2, 3), (3, 4)], [2 * lines, 4 * lines, 5 * lines, 1 * lines]
    plan = lifetimes(buffers).plan([size * ALIGNMENT for size in sizes])
    assert plan.size == 9 * lines * ALIGNMENT
