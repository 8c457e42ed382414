"""How much of a program's time goes into compiling while it runs.

Machine code is made in pieces between calls. Without a limit, a program that answers in a millisecond would
once stop for half a second. All times are estimates, so the program alone determines which call does which
piece, and from which call on machine code runs.
"""

from collections.abc import Callable
from itertools import count

LEAST = 30_000_000
"""The time that may be spent at once in any program, in nanoseconds."""
_LONGEST = 12
"""A round of calls, or an operator's calls, may become so many times longer."""
_APART, _SHORT_APART = 3, 5
"""The rounds from one that becomes longer to the next; for short ones, which also find caches empty."""
_START_UP = 40_000_000
"""The time of importing the compiler, in nanoseconds."""


class CompileBudget:
    """The time that calls may spend on compiling.

    Calls of several programs in turn, like those of a training step, are a round, which ends where a program is
    called again. The pieces of a graph are done in rounds that are some apart from others that were longer.
    Those of operators are done as in eager programs: what they cost was earned by operators that NumPy computed
    meanwhile, so that a graph that waits is as fast as an eager program.
    """

    def __init__(self) -> None:
        self._earned = LEAST  # by operators
        self._has_started = False
        self._numbers = count()
        self._called: set[int] = set()  # the programs in this round
        self._round, self._latest_longer = 0, -_SHORT_APART
        self._cost = self._cost_before = 0  # of the calls in this round, and in the one before
        self._spent = 0  # in this round

    def number(self) -> int:
        """A number for a program that calls will name."""
        return next(self._numbers)

    def begin_call(self, number: int) -> None:
        """Begin a call of a program that waits for its code; `number` is the program's."""
        if number in self._called:
            self._end_round()
        self._called.add(number)

    def note_call(self, cost: int) -> None:
        """Count a call that was begun, with its estimated time in nanoseconds."""
        self._cost += cost

    def _end_round(self) -> None:
        if self._spent > LEAST // 4:
            self._latest_longer = self._round
        self._round += 1
        self._called.clear()
        self._cost_before, self._cost, self._spent = self._cost, 0, 0

    def note_operator(self, cost: int) -> None:
        """Count an operator that waits for its code, with NumPy's estimated time in nanoseconds."""
        self._earned = min(LEAST, self._earned + _LONGEST * cost)

    def allows_operator(self, cost: int) -> bool:
        """Whether a piece of an operator's code may be made now; its cost in nanoseconds is then spent."""
        if self._earned < min(cost, LEAST):
            return False
        self._earned -= cost
        self._spent += cost
        return True

    def allows_graph(self, cost: int) -> bool:
        """Whether a piece of a graph's code may be made now; its cost in nanoseconds is then spent."""
        most = max(LEAST, _LONGEST * max(self._cost, self._cost_before))
        if self._spent > LEAST // 4:
            allowed = self._spent + cost <= most
        else:
            apart = _APART if most > LEAST else _SHORT_APART
            allowed = self._round - self._latest_longer >= apart
        if allowed:
            self._spent += cost
        return allowed

    def allows_start(self, allows: Callable[[int], bool]) -> bool:
        """Whether the compiler is imported, or may be now.

        Parameters
        ----------
        allows : `allows_operator` or `allows_graph`
        """
        self._has_started = self._has_started or allows(_START_UP)
        return self._has_started


BUDGET = CompileBudget()
"""That of this process."""
