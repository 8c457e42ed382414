"""The model of what threads gain: more threads are never slower, none is used for nothing."""

from hypothesis import given
from hypothesis import strategies as st

from gluonic.codegen.machine.scaling import (
    LEAST,
    WORTH_AWAKE,
    shared_time,
    useful_threads,
    waves,
)

times = st.floats(WORTH_AWAKE, 1e9)


def best(nanoseconds: float, chunks: int, threads: int) -> float:
    """The time of a step with as many threads as are useful."""
    return shared_time(nanoseconds, chunks, useful_threads(nanoseconds, chunks, threads))


@given(times, st.integers(2, 512), st.integers(1, 63))
def test_another_thread_makes_no_step_slower(time: float, most: int, threads: int) -> None:
    chunks = max(min(most, int(time) // LEAST), 2)
    assert best(time, chunks, threads + 1) <= best(time, chunks, threads) * 1.05


@given(times, st.integers(2, 512), st.integers(2, 64))
def test_each_useful_thread_has_a_chunk_and_no_other_would_save_a_wave(
    time: float, chunks: int, threads: int
) -> None:
    useful = useful_threads(time, chunks, threads)
    assert 1 <= useful <= min(threads, chunks)
    assert useful == 1 or waves(chunks, useful) < waves(chunks, useful - 1)


def test_sixteen_chunks_take_twelve_threads_as_long_as_eight() -> None:
    assert useful_threads(1e6, 16, 12) == 8
    assert shared_time(1e6, 16, 8) == 2e6 / 16 + shared_time(0, 16, 8)
