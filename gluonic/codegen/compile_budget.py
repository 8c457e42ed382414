"""How much of a program's time goes into compiling while it runs.

Machine code is made in pieces between calls. Without a limit, a program that answers in a millisecond would
once stop for half a second. All times are estimates, so the program alone determines which call does which
piece, and from which call on machine code runs.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from gluonic.support.pieces import Pieces

LEAST = 25_000_000
"""The time that may be spent at once in any program, in nanoseconds."""
_LONGEST = 12
"""A round of calls, or an operator's calls, may become so many times longer."""
_APART, _SHORT_APART = 3, 5
"""The rounds from one that becomes longer to the next; and where the next round finds the processor's caches
empty and takes much longer itself, since it is short."""
_SHORT = 6_000_000
"""The most time of a short round, in nanoseconds."""
START_UP = {"bindings": 25_000_000, "LLVM": 30_000_000, "compiler": 30_000_000}
"""The time of importing a part of what compiles, in nanoseconds."""


class CompileBudget:
    """The time that calls may spend on compiling.

    Calls of several programs in turn, like those of a training step, are a round, which ends where a program is
    called again. Pieces are made in rounds that are some apart from others that were longer: first the code of
    single operators, so that a graph that waits is soon as fast as an eager program, then the graph's own.
    In eager programs, what pieces cost was earned by operators that NumPy computed meanwhile.
    """

    def __init__(self) -> None:
        self._earned = LEAST  # by operators
        self._imported: set[str] = set()
        self._numbers = count()
        self._called: set[int] = set()  # the programs in this round
        self._round, self._latest_longer = 0, -_SHORT_APART
        self._cost = self._cost_before = 0  # of the calls in this round, and in the one before
        self._spent = 0  # in this round
        self._depth = 0  # of the calls that are interpreted now
        self._operators_wait = False  # in this round
        self._operators_waited = False  # in the one before

    def number(self) -> int:
        """A number for a program that calls will name."""
        return next(self._numbers)

    def begin_call(self, number: int) -> None:
        """Begin a call of a program that waits for its code; `number` is the program's."""
        if number in self._called and not self._depth:
            self._end_round()
        self._called.add(number)

    @contextmanager
    def interpreting(self) -> Iterator[None]:
        """A call that was begun is interpreted: programs that it runs, like a loop's body, begin no round."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def note_call(self, cost: int) -> None:
        """Count a call that was begun, with its estimated time in nanoseconds."""
        self._cost += cost

    def _end_round(self) -> None:
        if self._spent > LEAST // 4:
            self._latest_longer = self._round
        self._round += 1
        self._called.clear()
        self._cost_before, self._cost, self._spent = self._cost, 0, 0
        self._operators_waited, self._operators_wait = self._operators_wait, False

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
        apart = _SHORT_APART if self._round_cost() <= _SHORT else _APART
        return not self._operators_waited and self._allows_in_round(cost, apart)

    def allows_operator_of_graph(self, cost: int) -> bool:
        """Like `allows_graph`, for an operator of a graph that waits; all of them come first."""
        allowed = self._allows_in_round(cost, _APART)
        self._operators_wait |= not allowed
        return allowed

    def _round_cost(self) -> int:
        """The estimated time of a round without compiling, in nanoseconds."""
        return max(self._cost, self._cost_before)

    def _allows_in_round(self, cost: int, apart: int) -> bool:
        if self._spent > LEAST // 4:
            allowed = self._spent + cost <= max(LEAST, _LONGEST * self._round_cost())
        else:
            allowed = self._round - self._latest_longer >= apart
        if allowed:
            self._spent += cost
        return allowed

    def allows_start(self, allows: Callable[[int], bool]) -> bool:
        """Whether bindings are imported, or may be now.

        Parameters
        ----------
        allows : `allows_operator` or `allows_graph`
        """
        if "bindings" not in self._imported and allows(START_UP["bindings"]):
            self._imported.add("bindings")
        return "bindings" in self._imported

    def start_up(self, part: str) -> Pieces[None]:
        """Import a part of what compiles, if this is the first use of it.

        Parameters
        ----------
        part : one of `START_UP`
        """
        if part not in self._imported:
            yield lambda: 0 if part in self._imported else START_UP[part]
            self._imported.add(part)


BUDGET = CompileBudget()
"""That of this process."""
