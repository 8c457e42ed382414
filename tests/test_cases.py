"""A test of many cases runs all of them, and names each that fails."""

import pytest

from tests.cases import Check, grouped

ODD = {"first": {"one": (1,), "two": (2,), "four": (4,)}, "second": {"three": (3,)}}
ran: list[int] = []


@grouped(("number",), ODD, lambda number: f"the number {number}")
def is_odd(number: int) -> None:
    ran.append(number)
    assert number % 2


@grouped(("number",), ODD)
def is_skipped(number: int) -> None:
    pytest.skip("no case is run")


def in_group(check: Check, group: str, request: pytest.FixtureRequest) -> None:
    ran.clear()
    check(group=group, request=request)


def test_a_failure_has_all_cases_that_failed_with_their_arguments(
    request: pytest.FixtureRequest,
) -> None:
    with pytest.raises(ExceptionGroup, match="2 of 3 cases of first") as caught:
        in_group(is_odd, "first", request)
    assert ran == [1, 2, 4]
    notes = [error.__notes__[-1] for error in caught.value.exceptions]
    assert [note.splitlines()[0] for note in notes] == [
        "case two: the number 2",
        "case four: the number 4",
    ]
    assert all(request.node.nodeid in note for note in notes)


def test_a_group_without_failures_passes(request: pytest.FixtureRequest) -> None:
    in_group(is_odd, "second", request)
    assert ran == [3]


def test_one_case_can_be_chosen(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request.config.option, "case", "one")
    in_group(is_odd, "first", request)
    assert ran == [1]
    with pytest.raises(pytest.skip.Exception, match="no case is called one"):
        in_group(is_odd, "second", request)


def test_a_group_whose_cases_are_all_skipped_is_skipped(request: pytest.FixtureRequest) -> None:
    with pytest.raises(pytest.skip.Exception, match="no case is run"):
        in_group(is_skipped, "first", request)
