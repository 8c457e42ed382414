"""Sums over the ranks of a program, for operators whose numbers are those of all ranks.

`distributed` enters how it sums up; until then, and in a program of one process, a sum is its only part.
"""

from collections.abc import Callable
from typing import Protocol

from gluonic.graph.operator import Array


class Sums(Protocol):
    """How arrays are summed up over ranks."""

    def __call__(self, values: Array, what: Callable[[], str]) -> None:
        """Replace an array of one axis by its sum over all ranks; `what` says what it is, for errors."""


_entered: list[Sums] = []


def enter(sums: Sums) -> None:
    """Say how arrays are summed up, as there are several ranks."""
    _entered[:] = [sums]


def spans_ranks() -> bool:
    """Whether the program has several ranks; it stays the same while the program runs."""
    return bool(_entered)


def add_up(values: Array, what: Callable[[], str]) -> None:
    """Replace an array of one axis by its sum over all ranks, which must all ask for it in the same order."""
    for sums in _entered:
        sums(values, what)
