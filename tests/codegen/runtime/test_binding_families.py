"""A family's binding for a batch size equals the one that inference would lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gluonic.codegen.native.specialization import Specialization
from gluonic.codegen.rewriting.preparation import Preparation
from gluonic.codegen.runtime.binding_families import Family, find_family
from gluonic.codegen.runtime.specialization_binding import bind
from gluonic.codegen.shapes.abstract_arrays import AbstractArray
from gluonic.codegen.shapes.lines import with_extents
from gluonic.codegen.shapes.symbolic import NotUniform, ShapeEnv, if_at_least, valued
from gluonic.graph import shapes_and_dtypes
from gluonic.graph.errors import MXNetError
from gluonic.graph.node import Graph, Node
from gluonic.support.pieces import finish
from tests.codegen.random_graphs import RandomGraph, random_graphs
from tests.codegen.varying_axes import resized, varying_axes

SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 64, 65, 100, 100_000)


class Case:
    """Machine code for some shapes, and the family in which one extent varies."""

    def __init__(self, graph: Graph, variables: Sequence[Node], arrays: Sequence[Any]) -> None:
        self.preparation = Preparation(graph, variables)
        prepared, facts = finish(self.preparation.of(arrays, False))
        self.made = Specialization(prepared, variables, facts)
        self.arrays = [AbstractArray(a.shape, a.dtype) for a in arrays]

    def family(self, size: int, varying: set[tuple[int, int]]) -> Family | None:
        """The family in which some axes are as long as the batch."""
        lines: Any = [
            [(1, 0) if (i, axis) in varying else None for axis in range(len(a.shape))]
            for i, a in enumerate(self.arrays)
        ]
        env = ShapeEnv(size)
        opened = with_extents(self.arrays, lines, env)
        return find_family(self.preparation, self.made, opened, env, train=False)

    def check(self, family: Family, arrays: Sequence[Any]) -> bool:
        """Compare with inference and the steps; return whether the family had an answer."""
        found = family.binding(shapes_and_dtypes(arrays))
        if found is None:
            return False
        facts = self.preparation.facts_of(self.made.prepared, arrays, False)
        assert facts is not None
        assert self.made.guards.hold(facts)
        expected = bind(self.made, facts)
        np.testing.assert_array_equal(found.launch.table, expected.launch.table)
        assert (found.persistent, found.transient) == (expected.persistent, expected.transient)
        assert (found.signature, found.results) == (expected.signature, expected.results)
        assert (found.facts.shapes, found.facts.dtypes) == (facts.shapes, facts.dtypes)
        return True


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(random_graphs(most=12), st.data())
def test_families_of_random_graphs(random: RandomGraph, data: st.DataObject) -> None:
    size, varying = varying_axes(random, data)
    try:
        case = Case(random.graph, random.variables, random.arrays)
    except MXNetError:  # shapes that depend on data
        hypothesis.reject()
    family = case.family(size, varying)
    if family is not None and size:
        assert case.check(family, random.arrays)
        for other in (*SIZES, *SIZES):  # first expression by expression, then by a function
            case.check(family, resized(random.arrays, other, varying))


def test_symbolic_expressions_have_the_values_of_their_extents() -> None:
    def asked(n: Any) -> list[Any]:
        quotient, rest = divmod(n * 6 + 7, 4)
        many = if_at_least(n, 10, 3, n * n)
        return [
            *(-n + 3, 2 - n, n * 12 // 4, quotient, rest, (5 * n) // n, 100 // n, 100 % n, many),
            *(sum([n, n, 1]), max(n, 2), min(n * n, 50), abs(-n), n - n, n * 0.5 + 1),
        ]

    env = ShapeEnv(7)
    found = asked(env.size)
    sizes = range(-3, 40)
    answered = [size for size in sizes if env.values_at(size) is not None]
    assert set(range(2, 8)) <= set(answered) < set(sizes)
    for size in answered:
        values = env.values_at(size)
        assert values is not None
        assert [valued(x, values) for x in found] == asked(size)


@pytest.mark.parametrize(
    "ask", [range, hash, int, float, np.zeros, lambda n: n / 2, lambda n: [0][n], lambda n: n.real]
)
def test_questions_without_a_single_answer_are_refused(ask: Any) -> None:
    env = ShapeEnv(7)
    with pytest.raises(NotUniform):
        ask(env.size)
    assert env.failed


def test_comparisons_are_guards() -> None:
    env = ShapeEnv(7)
    n = env.size
    assert (n * 2, 3) == (n + n, 3)
    assert not env.guards, "equal for all sizes"
    assert n > 4
    assert n != 9
    assert n in (n, None)
    assert None not in (n, 2)
    assert [size for size in range(12) if env.values_at(size)] == [5, 6, 7, 8, 10, 11]
    assert env.is_general
    assert n == 7
    assert not env.is_general
