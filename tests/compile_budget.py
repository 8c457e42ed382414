"""The budget of compiling in tests, which do not depend on what ran before them in the process."""

import pytest

from gluonic.codegen import compile_budget
from gluonic.codegen.compile_budget import BUDGET, CompileBudget


def refill_budget() -> None:
    """Let the process-wide budget be what it is at the start."""
    start = vars(CompileBudget())
    del start["_numbers"]  # those of programs that exist are not given again
    vars(BUDGET).update(start)


def lift_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the call that begins to compile finish it, however long that takes."""
    monkeypatch.setattr(compile_budget, "LEAST", 10**12)
    refill_budget()
