"""The budget of compiling: which calls may do how much of it."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluonic.codegen.compile_budget import LEAST, START_UP, CompileBudget
from gluonic.support.pieces import WorkInPieces

_MILLISECOND = 1_000_000


def _spent(budget: CompileBudget, costs: Sequence[int], piece: int, calls: int) -> list[int]:
    """The time spent on pieces in each round of calls after the first, in nanoseconds."""
    numbers = [budget.number() for _ in costs]
    for number, cost in zip(numbers, costs, strict=True):
        budget.begin_call(number)
        budget.note_call(cost)
    found = []
    for _ in range(calls):
        spent = 0
        for number, cost in zip(numbers, costs, strict=True):
            budget.begin_call(number)
            while budget.allows_graph(piece):
                spent += piece
            budget.note_call(cost)
        found.append(spent)
    return found


def _distances(spent: Sequence[int]) -> list[int]:
    calls = [i for i, cost in enumerate(spent) if cost]
    return [after - before for before, after in pairwise(calls)]


@given(st.integers(1, 10**9), st.integers(_MILLISECOND, LEAST))
def test_a_call_becomes_at_most_twelve_times_longer_unless_it_is_short(
    cost: int, piece: int
) -> None:
    spent = _spent(CompileBudget(), [cost], piece, 40)
    assert max(spent) <= max(LEAST, 12 * cost) + piece


@pytest.mark.parametrize(("cost", "apart"), [(1_000, 5), (6 * _MILLISECOND, 5), (10**8, 3)])
def test_calls_that_become_longer_are_some_calls_apart(cost: int, apart: int) -> None:
    spent = _spent(CompileBudget(), [cost], LEAST, 60)
    assert sum(spent) >= 8 * LEAST
    assert min(_distances(spent)) >= apart


def test_all_programs_of_a_training_step_share_the_budget() -> None:
    spent = _spent(CompileBudget(), [_MILLISECOND // 4] * 4, LEAST, 60)
    assert max(spent) <= LEAST
    assert min(_distances(spent)) >= 5


def test_graphs_wait_for_some_rounds_after_operators_were_compiled() -> None:
    budget = CompileBudget()
    budget.begin_call(budget.number())
    assert budget.allows_operator(LEAST)
    spent = _spent(budget, [_MILLISECOND], LEAST, 20)
    assert not any(spent[:4])
    assert any(spent[4:])


def test_a_graph_waits_for_its_operators_which_are_made_three_rounds_apart() -> None:
    budget, left, rounds, made = CompileBudget(), 5, [], []
    number = budget.number()
    for call in range(50):
        budget.begin_call(number)
        if budget.allows_graph(LEAST):
            made.append(call)
        while left and budget.allows_operator_of_graph(LEAST):
            left -= 1
            rounds.append(call)
        budget.note_call(_MILLISECOND)
    assert not left
    assert {after - before for before, after in pairwise(rounds)} == {3}
    assert made[1] > rounds[-1]  # the first call comes before any operator waits


def test_programs_that_an_interpreted_call_runs_begin_no_round() -> None:
    budget, spent = CompileBudget(), 0
    outer, body = budget.number(), budget.number()
    budget.begin_call(outer)
    with budget.interpreting():
        for _ in range(100):
            budget.begin_call(body)
            spent += LEAST * budget.allows_graph(LEAST)
    assert spent == LEAST


def test_operators_are_paid_for_by_numpy_and_not_by_calls_of_graphs() -> None:
    budget, calls = CompileBudget(), 0
    assert budget.allows_operator(LEAST)
    _spent(budget, [_MILLISECOND], LEAST, 20)
    while not budget.allows_operator(LEAST):
        budget.note_operator(_MILLISECOND)
        calls += 1
    assert calls == LEAST // (12 * _MILLISECOND) + 1


def test_the_compiler_is_imported_once_and_paid_for() -> None:
    budget = CompileBudget()
    assert budget.allows_start(budget.allows_operator)
    assert not budget.allows_operator(LEAST)
    assert budget.allows_start(budget.allows_operator)


def test_of_two_graphs_that_wait_for_a_part_of_the_compiler_one_pays() -> None:
    budget = CompileBudget()
    first, second = (WorkInPieces(budget.start_up("LLVM")) for _ in range(2))
    paid: list[int] = []

    def allows(cost: int) -> bool:
        paid.append(cost)
        return True

    assert not first.go_on(lambda cost: not cost)
    assert not second.go_on(lambda cost: not cost)
    assert first.go_on(allows)
    assert second.go_on(allows)
    assert sum(paid) == START_UP["LLVM"]
