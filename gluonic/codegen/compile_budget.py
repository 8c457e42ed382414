"""How much of a program's time goes into compiling while it runs.

Machine code is made in pieces between calls. Without a limit, a program that answers in a millisecond would
once stop for half a second. All times are estimates, so the program alone determines which call does which
piece, and from which call on machine code runs.
"""

from itertools import count

LEAST = 40_000_000
"""The time that may be spent at once in any program, in nanoseconds."""
_LONGEST = 12
"""A call may become so many times longer."""
_APART, _SHORT_APART = 3, 5
"""The number of calls from one that became longer to the next; for short ones, which also find caches empty."""
_START_UP = 30_000_000
"""The time of importing the compiler, in nanoseconds."""


class CompileBudget:
    """A store of time that calls fill, and pieces of compiling use up.

    Pieces are done when it is full, and until it is empty: then several calls follow that do none. Operators
    come before graphs: they are what eager calls would compile.
    """

    def __init__(self) -> None:
        self._left = self._full = LEAST
        self._is_open = self._has_started = self._operator_waits = False
        self._called: set[int] = set()
        self._spent = 0  # in nanoseconds, by the calls in `_called`
        self._numbers = count()

    def number(self) -> int:
        """A number for a program that calls will name."""
        return next(self._numbers)

    def note_call(self, number: int, cost: int) -> None:
        """Count a call of a program.

        Calls of several programs in turn, like those of a training step, are a round, which ends where a
        program is called again.

        Parameters
        ----------
        number : the program's
        cost : the estimated time of the call, in nanoseconds
        """
        if number in self._called:
            self._full = max(LEAST, _LONGEST * self._spent)
            self._gain(self._full // (_APART if self._full > LEAST else _SHORT_APART))
            self._called.clear()
            self._spent = 0
        self._called.add(number)
        self._spent += cost
        more = _LONGEST * self._spent - self._full
        if more > 0:  # the longest round so far
            self._full += more
            self._left += more

    def note_operator(self, cost: int) -> None:
        """Count an operator that NumPy computes, with its estimated time in nanoseconds."""
        if self._left < LEAST:
            self._left = min(LEAST, self._left + _LONGEST * cost)

    def _gain(self, gained: int) -> None:
        self._left = min(self._full, self._left + gained)

    def allows_operator(self, cost: int) -> bool:
        """Whether a piece of an operator's code may be made now; its cost in nanoseconds is then used up."""
        allowed = self._allows(cost, LEAST)
        self._operator_waits = not allowed
        return allowed

    def allows_graph(self, cost: int) -> bool:
        """Whether a piece of a graph's code may be made now; its cost in nanoseconds is then used up."""
        if self._operator_waits:
            self._operator_waits = False
            return False
        return self._allows(cost, self._full)

    def _allows(self, cost: int, full: int) -> bool:
        if self._left >= full:
            self._is_open = True
        elif self._left < cost:
            if self._is_open:
                self._is_open, self._left = False, min(self._left, 0)
            return False
        if self._is_open:
            self._left -= cost
        return self._is_open

    def allows_start(self) -> bool:
        """Whether the compiler is imported, or may be now."""
        self._has_started = self._has_started or self._allows(_START_UP, LEAST)
        return self._has_started


BUDGET = CompileBudget()
"""That of this process."""
