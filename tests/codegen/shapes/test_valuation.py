"""Expressions that are valued together have the values that each has alone."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluonic.codegen.shapes.symbolic import ShapeEnv, at_least, if_at_least, valued
from gluonic.codegen.shapes.valuation import Valuation, function_of

_FACTORS = st.integers(-9, 9) | st.integers(-(2**70), 2**70) | st.floats(-1e9, 1e9)
_SIZES = st.integers(1, 4000) | st.integers(1, 2**70)


def _asked(draw: Callable[..., Any], sizes: list[Any]) -> list[Any]:
    """Sums of multiples of sizes and of what follows from them; what is compared on the way are guards."""
    size, other = sizes
    atoms = [
        *(size, other, size // 2, at_least(size, 5), if_at_least(size, 8, 3, 1)),
        *((size // 3) * other, other % 7, 100 // other),
    ]
    found: list[Any] = draw(st.lists(st.integers(), max_size=2))
    for _ in range(draw(st.integers(0, 5))):
        factors = draw(st.lists(_FACTORS, min_size=len(atoms), max_size=len(atoms)))
        chosen = draw(st.lists(st.booleans(), min_size=len(atoms), max_size=len(atoms)))
        terms = [a * f for a, f, taken in zip(atoms, factors, chosen, strict=True) if taken]
        found.append(sum(terms, draw(_FACTORS)))
    for bound in draw(st.lists(st.integers(0, 40), max_size=2)):
        found.append(1 if size * 2 > other + bound else 2)
        found.append(1 if other != bound else 2)
    return found


@given(st.data(), st.lists(st.tuples(_SIZES, _SIZES), min_size=1, max_size=4))
def test_the_compiled_valuation_agrees_with_each_expression(
    data: st.DataObject, sizes: list[tuple[int, int]]
) -> None:
    env = ShapeEnv(7, 3)
    found = _asked(data.draw, env.sizes)
    function = function_of(env, (found, [tuple(found)], ()))
    for pair in [(7, 3), *sizes]:
        values = env.values_at(*pair)
        if values is None:
            assert function(*pair) is None
            continue
        expected = [valued(x, values) for x in found]
        assert function(*pair) == (expected, [tuple(expected)], ())
    assert function(7, 3) is not None


def test_sizes_that_violate_the_guards_have_no_values() -> None:
    env = ShapeEnv(7)
    size = env.size
    assert size > 4
    assert 12 // (size - 6) == 12
    ask = Valuation(env, [size * 2 + 1, 3])
    for _ in range(30):
        assert [ask(n) for n in (4, 6, 7, 8)] == [None, None, [15, 3], None]


def test_earlier_values_are_not_overwritten() -> None:
    env = ShapeEnv(7)
    ask = Valuation(env, [env.size, 3])
    for _ in range(30):
        ask(9).clear()
    assert ask(9) == [9, 3]


@pytest.mark.parametrize("known", [[], [1, (2, 3)]])
def test_values_that_depend_on_no_size_are_constant(known: Any) -> None:
    assert Valuation(ShapeEnv(), known)() == known
