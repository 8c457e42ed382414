"""Long work in pieces, so that a program can go on between them."""

from collections.abc import Callable, Generator
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")

Cost: TypeAlias = int | Callable[[], int]
"""An estimated cost in nanoseconds, or its value when it is asked for: other work may have done a part."""

Pieces: TypeAlias = Generator[Cost, None, T]
"""Work that yields the cost of each piece before it; it returns the result."""


def nanoseconds(cost: Cost) -> int:
    """What a cost is now."""
    return cost if isinstance(cost, int) else cost()


def finish(work: Pieces[T]) -> T:
    """Do all of the work now.

    Examples
    --------
    >>> def counted() -> Pieces[str]:
    ...     for _ in range(3):
    ...         yield 10
    ...     return "done"
    >>> finish(counted())
    'done'
    """
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result


def noted(work: Pieces[T], costs: list[int]) -> Pieces[T]:
    """The same work, which appends the cost of each piece to a list."""
    while True:
        try:
            cost = next(work)
        except StopIteration as end:
            result: T = end.value
            return result
        costs.append(nanoseconds(cost))
        yield cost


class UnfinishedError(Exception):
    """Work is not finished yet."""


class WorkInPieces(Generic[T]):
    """Work that is done piece by piece.

    Parameters
    ----------
    work : the pieces
    """

    def __init__(self, work: Pieces[T]) -> None:
        self._work = work
        self._cost: Cost = 0

    def go_on(self, allows: Callable[[int], bool]) -> list[T]:
        """Do pieces while their costs are allowed.

        Parameters
        ----------
        allows : whether a piece of this cost, in nanoseconds, may be done now; it is done if so

        Returns
        -------
        list
            the result, or nothing if work is left
        """
        while allows(nanoseconds(self._cost)):
            try:
                self._cost = next(self._work)
            except StopIteration as end:
                return [end.value]
        return []

    def finish(self) -> T:
        """Do the rest now."""
        return finish(self._work)
