"""Machine code and Python draw the same bits from the same states, which both leave alike."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gluonic.codegen.machine.target import host
from gluonic.codegen.random_numbers import DrawingCode, machine
from gluonic.graph.draws_of_a_run import FILLS, WORD_BY_WORD, gamma_table
from gluonic.graph.random_source import STATES, RandomSource, Recorded, Repeated, runs_of
from gluonic.graph.twisters import Twisters

F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
_SHAPES, _SCALES = np.array([0.4, 2.5], F32), np.array([2.0, 0.5], F32)
PARAMETERS: dict[str, Callable[[int, Any], tuple[Any, ...]]] = {
    "uniform": lambda share, dtype: (-1.0, 2.5),
    "normal": lambda share, dtype: (0.5, 2.0),
    "paired": lambda share, dtype: (0.5, 2.0),
    "words": lambda share, dtype: (),
    "exponential": lambda share, dtype: (np.array([0.5, 2.0]), share),
    "kept": lambda share, dtype: (1 << 31,),
    "integers": lambda share, dtype: (),
    "gamma": lambda share, dtype: (gamma_table(_SHAPES, _SCALES, dtype), share, F32),
    "poisson": lambda share, dtype: (np.array([3.0, 30.0], F32), share),
    "mixed": lambda share, dtype: (gamma_table(_SHAPES.astype(F64), _SCALES, F32), share, F64),
}
DTYPES = {
    "words": ["uint32"],
    "kept": ["bool"],
    "integers": ["int64"],
    "poisson": ["float32"],
    "mixed": ["float32"],
}
PRODUCTS = ["float16", "float32", "float64"]
CASES = [(n, t) for n in PARAMETERS for t in DTYPES.get(n, ["float32", "float64"])]


def test_every_draw_is_tried() -> None:
    assert PARAMETERS.keys() == FILLS.keys()


def by_python(twisters: Twisters, name: str, found: Any, parameters: tuple[Any, ...]) -> None:
    runs, length = runs_of(found.size)
    for row in range(runs):
        part = found[row * length : (row + 1) * length]
        FILLS[name](lambda n, row=row: twisters.take(row, n), part, row * length, parameters)  # type: ignore[misc]


@pytest.mark.parametrize(("name", "dtype"), CASES)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), counts=st.lists(st.integers(1, 300), min_size=1, max_size=3))
def test_machine_code_draws_what_python_draws(
    name: str, dtype: str, seed: int, counts: list[int]
) -> None:
    ours, theirs = Twisters(8, seed), Twisters(8, seed)
    for count in counts:
        given = PARAMETERS[name]((count + 1) // 2, np.dtype(dtype))
        found, expected = np.empty(count, dtype), np.empty(count, dtype)
        by_python(ours, name, expected, given)
        assert machine().fill(name, theirs, found, runs_of(count), given)
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(theirs.positions, ours.positions)
    drawn = ours.positions >= 0
    np.testing.assert_array_equal(theirs.blocks[drawn], ours.blocks[drawn])


@pytest.mark.parametrize(("name", "dtype"), CASES)
@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 99),
    counts=st.lists(st.integers(0, 700) | st.integers(2000, 70_000), max_size=4),
)
def test_runs_drawn_together_are_drawn_as_one_by_one(
    name: str, dtype: str, seed: int, counts: list[int]
) -> None:
    if name not in WORD_BY_WORD:
        counts = [count % 500 for count in counts]  # Python takes long for these
    source, alone = RandomSource(seed), Twisters(STATES, seed * 127)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RandomSource, "load_machine", None)
        for count in counts:
            given = PARAMETERS[name]((count + 1) // 2, np.dtype(dtype))
            expected = np.empty(count, dtype)
            by_python(alone, name, expected, given)
            np.testing.assert_array_equal(source.draw(name, (count,), dtype, *given), expected)


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize(("name", "dtype"), [c for c in CASES if c[0] in ("gamma", "mixed")])
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), shape=st.floats(0.1, 9), scale=st.floats(1e-3, 6e4))
def test_products_with_the_scale_have_the_dtype_of_the_parameters(
    product: str, dtype: str, name: str, seed: int, shape: float, scale: float
) -> None:
    if product == "float16" and not host().has_half:
        pytest.skip("this processor has no instruction that rounds to float16")
    scale = min(scale, 9.0) if name == "mixed" else scale
    shapes, scales = np.array([[shape], [scale]], product)
    table = gamma_table(shapes, scales, dtype)
    given = table, 100, np.dtype(product)
    ours, theirs = Twisters(2, seed), Twisters(2, seed)
    found, expected = np.empty(100, dtype), np.empty(100, dtype)
    with np.errstate(over="ignore"):
        by_python(ours, name, expected, given)
    assert machine().fill(name, theirs, found, runs_of(100), given)
    np.testing.assert_array_equal(found, expected)


def test_a_state_crosses_from_python_to_machine_code_and_back() -> None:
    twisters, alone = Twisters(1, 3), Twisters(1, 3)
    words = alone.take(0, 3000).copy()
    found = np.empty(700, np.float32)
    first = twisters.take(0, 1001).copy()
    machine().fill("uniform", twisters, found, (1, 700), (0.0, 1.0))
    np.testing.assert_array_equal(first, words[:1001])
    np.testing.assert_array_equal(found, words[1001:1701].astype(np.float32) * np.float32(2**-32))
    np.testing.assert_array_equal(twisters.take(0, 1299), words[1701:])


@pytest.mark.parametrize("count", [1, 64, 65, 5000, 65536, 65537, 200_000])
def test_large_arrays_are_drawn_in_runs_of_one_length(count: int) -> None:
    runs, length = runs_of(count)
    assert runs == min(-(-count // 64), 1024)
    assert 0 <= runs * length - count < runs


def test_recorded_draws_are_repeated() -> None:
    recorded = Recorded(RandomSource(1))
    first = [recorded.draw("uniform", (3,), F32, 0.0, 1.0), recorded.below(np.array([5, 9]))]
    repeated = Repeated(recorded.drawn)
    again = [repeated.draw("uniform", (3,), F32, 0.0, 1.0), repeated.below(np.array([5, 9]))]
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)


def test_integers_are_below_their_limits_and_all_come() -> None:
    drawn = RandomSource(2).below(np.full(40_000, 7))
    assert np.unique(drawn).tolist() == list(range(7))
    assert np.abs(np.bincount(drawn) / 40_000 - 1 / 7).max() < 0.02
    large = RandomSource(2).below(np.full(1000, 3 << 30))  # every fourth word is left out
    assert large.min() >= 0
    assert large.max() < 3 << 30


@pytest.mark.parametrize(
    ("sizes", "loads"),
    [([1_000, 64], False), ([3_000_000, 0, 2_000_000], True), ([64 * 1024] * 40, True)],
)
def test_machine_code_is_loaded_before_many_numbers_are_drawn(
    monkeypatch: pytest.MonkeyPatch, sizes: list[int], loads: bool
) -> None:
    monkeypatch.setattr(RandomSource, "machine", None)
    monkeypatch.setattr(RandomSource, "load_machine", staticmethod(machine))
    RandomSource().expect(sizes)
    assert (RandomSource.machine is machine()) is loads


def test_code_is_compiled_for_the_processor_that_it_was_written_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = DrawingCode()
    monkeypatch.setenv("GLUONIC_CPU", "x86-64-v2" if host().architecture == "x86_64" else "")
    found = np.zeros(70, F64)
    parameters = PARAMETERS["gamma"](35, F64)
    assert code.fill("gamma", Twisters(STATES), found, runs_of(found.size), parameters)
    assert (found > 0).all()
