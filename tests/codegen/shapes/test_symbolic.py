"""Arithmetic on extents that are not known."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gluonic.codegen.shapes.symbolic import ShapeEnv
from gluonic.graph.axes import extent_of, indices_of

BOUNDS = st.none() | st.integers(-9, 9)
STEPS = st.none() | st.integers(-3, 3).filter(bool)


@given(BOUNDS, BOUNDS, STEPS, st.integers(1, 8))
def test_slices_of_an_unknown_extent_are_those_of_its_size(
    begin: int | None, end: int | None, step: int | None, size: int
) -> None:
    env, part = ShapeEnv(size), slice(begin, end, step)
    unknown: Any = env.size
    found = [env.value(x) for x in indices_of(part, unknown)]
    assert tuple(found) == part.indices(size)
    assert env.value(extent_of(begin, end, step, unknown)) == len(range(size)[part])
    assert not env.failed


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=4))
def test_products_do_not_depend_on_the_order_of_factors(
    factors: list[tuple[int, int]],
) -> None:
    env = ShapeEnv(7)
    halves = env.size // 2
    forwards = backwards = 1
    for times, more in factors:
        forwards = forwards * (halves * times + env.size + more)
    for times, more in reversed(factors):
        backwards = (halves * times + env.size + more) * backwards
    assert forwards == backwards
    assert env.value(forwards) == env.value(backwards)
    assert not env.guards  # nothing was asked of the size


@given(st.integers(1, 5), st.integers(0, 3))
def test_multiples_of_an_unknown_extent_are_divided_by_it(times: int, more: int) -> None:
    env = ShapeEnv(7)
    part = env.size * 2 + more
    assert (part * times // part, part * times % part) == (times, 0)
    assert env.is_general
