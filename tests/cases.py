"""Tests of many cases each: all of them run, and a failure names every case that failed, with its arguments."""

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest

Check = Callable[..., None]
Groups = Mapping[str, Mapping[str, tuple[Any, ...]]]


def _listed(*values: object) -> str:
    return ", ".join(map(repr, values))


def grouped(
    names: tuple[str, ...], groups: Groups, describe: Callable[..., str] = _listed
) -> Callable[[Check], Check]:
    """Make a check of one case a test of each group of cases.

    ``python -m pytest --case NAME`` runs the cases of that name alone, or those whose name begins with that
    word. The cases of a group share its fixtures.

    Parameters
    ----------
    names : the parameters of the check that a case gives
    groups : by the names of the groups, which name the tests: the arguments of each case, by its name
    describe : returns what a failure says about a case, given its arguments
    """

    def decorate(check: Check) -> Check:
        def every_case(group: str, request: pytest.FixtureRequest, **fixtures: Any) -> None:
            __tracebackhide__ = True
            only = request.config.getoption("--case")
            failures: list[BaseException] = []
            ran, reason = 0, f"no case is called {only}"
            for case, values in groups[group].items():
                if only not in (None, case, case.partition(" ")[0]):
                    continue
                try:
                    check(**dict(zip(names, values, strict=True)), **fixtures)
                except pytest.skip.Exception as skipped:
                    reason = str(skipped)
                    continue
                except (Exception, pytest.fail.Exception) as error:
                    again = f"python -m pytest '{request.node.nodeid}' --case '{case}'"
                    error.add_note(f"case {case}: {describe(*values)}\n{again}")
                    failures.append(error)
                ran += 1
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {ran} cases of {group}", failures)
            if not ran:
                pytest.skip(reason)

        group, request, _ = inspect.signature(every_case).parameters.values()
        fixtures = [p for p in inspect.signature(check).parameters.values() if p.name not in names]
        functools.update_wrapper(every_case, check)
        asked_of_pytest = inspect.Signature([group, request, *fixtures])
        every_case.__dict__.update(__signature__=asked_of_pytest)
        return pytest.mark.parametrize("group", groups)(every_case)  # type: ignore[no-any-return]

    return decorate


def over(
    parameter: str,
    cases: Iterable[Any],
    group: Callable[[Any], str] = lambda case: str(case).split(" ", 1)[0].strip(",:"),
    name: Callable[[Any], str] = str,
) -> Callable[[Check], Check]:
    """Make a check of one case a test of each group of cases: of those with the same first word.

    Parameters
    ----------
    parameter : the parameter of the check that a case is
    cases : the cases
    group : the group of a case, if not its first word
    name : the name of a case
    """
    groups: dict[str, dict[str, tuple[Any]]] = {}
    for case in cases:
        groups.setdefault(group(case), {})[name(case)] = (case,)
    return grouped((parameter,), groups)
