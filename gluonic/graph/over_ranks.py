"""Sums over the ranks of a program, for operators whose statistics are over all ranks.

`distributed` registers its all-reduce; until then, and in a program of one process, a sum is its only part.
"""

from collections.abc import Callable
from typing import Protocol

from gluonic.graph.operator import Array


class RankSums(Protocol):
    """A function that sums arrays over ranks."""

    def __call__(self, values: Array, what: Callable[[], str]) -> None:
        """Replace an array of one axis by its sum over all ranks; `what` names it in errors."""


_entered: list[RankSums] = []


def enter(sums: RankSums) -> None:
    """Register the function that sums arrays over ranks."""
    _entered[:] = [sums]


def spans_ranks() -> bool:
    """Whether the program has several ranks; this does not change while the program runs."""
    return bool(_entered)


def add_up(values: Array, what: Callable[[], str]) -> None:
    """Replace an array of one axis by its sum over all ranks, which must all call this in the same order."""
    for sums in _entered:
        sums(values, what)
