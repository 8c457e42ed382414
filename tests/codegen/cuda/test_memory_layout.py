"""Results that are needed at the same time share no memory, in the layout that calls of a graph allocate."""

from hypothesis import given
from hypothesis import strategies as st

from gluonic.codegen.cuda.memory_layout import MemoryLayout

GIVEN = 2
slots = st.integers(0, 9)


@given(
    st.lists(st.lists(slots, min_size=1, max_size=4), max_size=12),
    st.lists(st.integers(0, 3000), min_size=8, max_size=8),
    st.lists(st.lists(st.integers(GIVEN, 9), min_size=1, max_size=3), max_size=3),
    st.booleans(),
)
def test_results_alive_together_share_no_memory(
    steps: list[list[int]], lengths: list[int], groups: list[list[int]], apart: bool
) -> None:
    sizes = {GIVEN + k: size for k, size in enumerate(lengths)}
    outlasting, seen = [], set[int]()
    for group in groups:
        own = [slot for slot in dict.fromkeys(group) if slot not in seen]
        seen.update(own)
        outlasting += [own] if own else []
    layout = MemoryLayout(GIVEN, steps, sizes, outlasting, apart=apart)
    alive = {slot: {n for n, used in enumerate(steps) if slot in used} for slot in sizes}
    ranges = {}
    for slot, steps_of in alive.items():
        if slot not in seen and not steps_of:
            continue
        index, offset = layout.places[slot]
        assert offset % 256 == 0
        assert offset + sizes[slot] <= layout.blocks[index - GIVEN]
        first, last = min(steps_of, default=0), max(steps_of, default=0)
        if slot in seen:
            first, last = 0, len(steps)
        ranges[slot] = index, offset, first, last
    for one, (index, offset, first, last) in ranges.items():
        for other, (index2, offset2, first2, last2) in ranges.items():
            if one < other and index == index2 and first <= last2 and first2 <= last:
                apart_in_memory = offset + sizes[one] <= offset2 or offset2 + sizes[other] <= offset
                assert apart_in_memory, (one, other)
    assert all(layout.places[slot] == (slot, 0) for slot in range(GIVEN))


def test_what_outlasts_a_call_is_in_memory_of_its_group_alone() -> None:
    layout = MemoryLayout(
        1, [[0, 1], [1, 2], [2, 3, 4]], {1: 10, 2: 20, 3: 30, 4: 0}, [[3], [2, 4]], apart=False
    )
    blocks = [layout.places[slot].number for slot in (1, 2, 3, 4)]
    assert blocks[1] == blocks[3]
    assert len({*blocks}) == 3


def test_results_that_are_not_needed_together_share_memory() -> None:
    steps = [[0, 1], [1, 2], [2, 3], [3, 4]]
    layout = MemoryLayout(1, steps, {1: 1000, 2: 1000, 3: 1000, 4: 8}, [[4]], apart=False)
    assert sorted(layout.blocks) == [8, 2048]
