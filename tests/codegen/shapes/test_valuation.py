"""Expressions that are valued together have the values that each has alone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluonic.codegen.shapes.symbolic import ShapeEnv, at_least, if_at_least, valued
from gluonic.codegen.shapes.valuation import Sums

_FACTORS = st.integers(-9, 9) | st.integers(-(2**62), 2**62)
_SIZES = st.integers(1, 4000) | st.integers(1, 2**63 - 1)


@st.composite
def expressions(draw: st.DrawFn) -> tuple[ShapeEnv, list[Any]]:
    """Sums of multiples of a size and of what follows from it, some of them twice, and numbers among them."""
    env = ShapeEnv(7)
    size = env.size
    atoms = [size, size // 2, at_least(size, 5), if_at_least(size, 8, 3, 1), (size // 3) * size]
    found = draw(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4))
    for _ in range(draw(st.integers(0, 8))):
        factors = draw(st.lists(_FACTORS, min_size=len(atoms), max_size=len(atoms)))
        chosen = draw(st.lists(st.booleans(), min_size=len(atoms), max_size=len(atoms)))
        terms = [a * f for a, f, taken in zip(atoms, factors, chosen, strict=True) if taken]
        found.append(sum(terms, draw(_FACTORS)))
    order = draw(st.lists(st.integers(0, len(found) - 1), max_size=12)) if found else []
    return env, [found[place] for place in order]


@given(expressions(), st.lists(_SIZES, min_size=1, max_size=4))
def test_sums_are_those_of_each_expression_alone_or_do_not_fit(
    given_expressions: tuple[ShapeEnv, list[Any]], sizes: list[int]
) -> None:
    env, listed = given_expressions
    own = [x for x in listed if type(x) is not int or -(2**63) <= x < 2**63]
    sums = Sums(own)
    for size in sizes:
        values = env.values_at(size)
        assert values is not None
        expected = [valued(x, values) for x in own]
        if all(-(2**63) <= x < 2**63 for x in expected):
            assert sums.at(values).tolist() == expected
        else:
            with pytest.raises(OverflowError):
                sums.at(values)


def test_what_was_valued_before_is_not_written_to() -> None:
    env = ShapeEnv(7)
    for sums in (Sums([1, 2]), Sums([1, env.size])):
        values = env.values_at(9)
        assert values is not None
        first = sums.at(values)
        first[:] = 0
        assert sums.at(values)[0] == 1
